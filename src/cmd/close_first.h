/* close_first.h: the first commit: nobody of the policy is open while names are being resolved. */
#ifndef EGRESSFW_CMD_CLOSE_FIRST_H
#define EGRESSFW_CMD_CLOSE_FIRST_H

#include "cmd/session.h"

#include <stdbool.h>

/*
 * Commits what stands plus deny-all for every confined uid that it does not confine; where what
 * stands is not whole, deny-all alone, for its users too. Reads it back. Nothing is committed where
 * everybody is confined by a whole table already. *log becomes false where the kernel does not take
 * the log statement. `state_left` (256 bytes) is then what a later failure leaves behind;
 * *ret_committed whether anything was changed.
 */
bool close_first(struct session *session, bool *log, char state_left[256], bool *ret_committed,
		 struct failure *failure);

/* The deny-all ruleset of the policy for these uids. */
bool close_build(const struct session *session, const struct rangeset *uids, bool log,
		 struct ruleset *ret, struct err *err);

/*
 * Replaces our table by deny-all for the confined uids and for whom it confined before, and reads
 * it back: the answer to a canary that came through.
 */
bool close_everything(struct session *session, bool log, struct err *err);

#endif
