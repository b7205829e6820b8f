/* undo.h: taking our hosts lines and our table out again. */
#ifndef EGRESSFW_CMD_UNDO_H
#define EGRESSFW_CMD_UNDO_H

#include "cmd/session.h"

struct undone {
	bool table;  /* there was one */
	bool hosts;  /* lines were taken out */
	bool filter; /* one of ours was running */
};

/*
 * Hosts lines first, the filter and the table next, what is kept in the state directory last:
 * whatever fails, what is still confined is closed.
 */
bool undo(struct session *session, struct undone *ret, struct failure *failure);

#endif
