/* doctor_walk.h: sockets among files, looked for so that nobody hides them behind many others. */
#ifndef EGRESSFW_SYSTEM_DOCTOR_WALK_H
#define EGRESSFW_SYSTEM_DOCTOR_WALK_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Each directory at the top of a root is a branch: one with more entries than `branch_max`, of all
 * levels, is left there, and the others are looked through nevertheless. Those of the user `last`
 * come after everybody else's, so that time runs out for these. So it is with the entries of a root
 * itself.
 */
struct doctor_walk {
	uid_t last;
	size_t branch_max;
	unsigned timeout_ms; /* for all; whole seconds */
	void (*take)(void *context, const char *path);
	void *context;
	/* What was not looked through, and how far it was: a list. */
	struct buffer unseen;
	size_t unseen_count;
};

/* Takes each socket below these directories, of which one may be missing; NULL ends the list. */
void doctor_walk(struct doctor_walk *walk, const char *const *roots);

#endif
