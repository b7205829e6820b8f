/* state_parts.h: the state directory as the files that keep it see it. */
#ifndef EGRESSFW_SYSTEM_STATE_PARTS_H
#define EGRESSFW_SYSTEM_STATE_PARTS_H

#include "plan/ruleset.h"
#include "system/state.h"

struct state {
	char *path;     /* for messages */
	int descriptor; /* of the directory */
	int lock;       /* -1: not held */
	bool made;      /* by state_open() or state_lock(), and was not there before */
	char table[RULESET_NAME_SIZE];
};

/*
 * Whether the open file is a regular one that nobody else may write, and, unless others_own, this
 * user's; if not, the message, for which name is, says what to do.
 */
bool state_check_file(const struct state *state, const char *name, int descriptor, bool others_own,
		      struct err *err);

#endif
