/* rehearsal.h: whether the filter could start, found out before anything depends on it. */
#ifndef EGRESSFW_FILTER_REHEARSAL_H
#define EGRESSFW_FILTER_REHEARSAL_H

#include "base/err.h"
#include "policy/policy.h"

#include <sys/types.h>

struct rehearsal {
	uid_t uid; /* as whom it would run */
	gid_t gid;
	const char *log;
	struct address_ports listen; /* where nobody should listen yet; borrowed */
	unsigned timeout_ms;
	/* What a sentence about the one or the other ends with. */
	const char *log_advice, *listen_advice;
};

/*
 * In a child that is that user and has no capability: whether the log could be opened, and sockets
 * be bound. Nothing is made, nothing is left. Needs CAP_SETUID and CAP_SETGID permitted. *ret_taken,
 * always set: a socket could not, because another one has its address.
 */
bool rehearse(const struct rehearsal *rehearsal, bool *ret_taken, struct err *err);

#endif
