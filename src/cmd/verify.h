/* verify.h: what a verify has found out, between its steps. */
#ifndef EGRESSFW_CMD_VERIFY_H
#define EGRESSFW_CMD_VERIFY_H

#include "cmd/reporting.h"
#include "cmd/session.h"
#include "plan/finding.h"
#include "plan/plan.h"

#include <stdbool.h>

struct verify {
	struct session session;
	struct plan kept; /* what the state directory says */
	bool has_kept;
	struct plan wanted; /* what the policy says */
	bool has_wanted;
	struct findings findings;
	bool hosts_compared;
	char busy[LOCK_HOLDER_SIZE]; /* who changed something meanwhile; "": nobody was seen */
	struct rangeset standing;    /* whom the rules confine where these are not as planned */
	bool has_standing, altered;
};

/* By --no-hosts at the apply: then no plan says what should stand in a hosts file. */
bool verify_left_hosts_alone(const struct verify *verify);

/*
 * One sentence about what was compared, and no more; the caller frees it. `good`: nothing differs.
 */
char *verify_state_text(const struct verify *verify, const struct reporting *reporting, bool good);

#endif
