/* close_first.h: what is committed before the plan: nobody is open while it is made, no filter before it stands. */
#ifndef EGRESSFW_CMD_CLOSE_FIRST_H
#define EGRESSFW_CMD_CLOSE_FIRST_H

#include "cmd/session.h"
#include "plan/ruleset.h"

#include <stdbool.h>

enum { STATE_LEFT_SIZE = 256 };

/* What these steps have done; the pointers are the caller's. */
struct closed {
	bool *log;        /* becomes false where the kernel does not take the log statement */
	char *state_left; /* STATE_LEFT_SIZE: what a later failure leaves behind */
	bool *committed;  /* becomes true where anything was changed */
	bool shut;        /* close_filter() has nothing more to do */
	struct ruleset stands;
};

/*
 * Commits what stands plus deny-all for every confined uid that it does not confine; where what
 * stands is not whole, deny-all alone, for its users too. Where no filter stands and the policy
 * needs one, that is shut away at once. Reads it back. Nothing is committed where everybody is
 * confined by a whole table already.
 */
bool close_first(struct session *session, struct closed *closed, struct failure *failure);

/*
 * After close_first(), and before a filter is started: shuts it away until the plan is committed
 * (ruleset_shut_filter()), and reads that back. What its users have of one that is running ends
 * here.
 */
bool close_filter(struct session *session, struct closed *closed, struct failure *failure);

/*
 * "uid 5 is closed", "uids 5, 7-9 are closed", cut short where they are many; the caller frees it.
 */
char *close_text(const struct rangeset *uids);

/* The deny-all ruleset of the policy for these uids. */
bool close_build(const struct session *session, const struct rangeset *uids, bool log,
		 struct ruleset *ret, struct err *err);

/*
 * Replaces our table by deny-all for the confined uids and for whom it confined before, and reads
 * it back: the answer to a canary that came through.
 */
bool close_everything(struct session *session, bool log, struct err *err);

#endif
