/* resolver.h: all names of a policy at once, in a child that has no privileges. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_H
#define EGRESSFW_SYSTEM_RESOLVER_H

#include "base/err.h"
#include "plan/resolved.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

struct resolver_settings {
	const char *resolv_conf; /* NULL: /etc/resolv.conf; the only source of nameservers */
	unsigned timeout_ms;     /* for everything together */
	unsigned in_flight_max;  /* names under way at once, each with two questions; 0: 128 */
	unsigned retry_ms;       /* first retransmission; 0: 300 */
	/* Called every second while names are open, in the parent; may be NULL. */
	void (*progress)(void *context, size_t open, size_t total, unsigned elapsed_ms);
	void *context;
};

/*
 * Forks; the child isolates itself (privilege.h), asks for A and AAAA of every name as absolute
 * names over UDP, over TCP when truncated, follows aliases only from owner to target, and writes
 * resolved_encode() to a pipe, from which the parent takes at most 64 MiB and validates. No hosts
 * file, no search list, no option of resolv.conf and no environment variable has influence.
 *
 * A name that cannot be resolved is no error here: see resolved_check(). A name is found when one
 * family has addresses, also where the server failed to answer for the other one: what did not come
 * is not pinned and stays closed. Without addresses the status is the failure that says most
 * (SERVFAIL, REFUSED, MALFORMED, TIMEOUT, UNREACHABLE, NO_SERVER, in this order); NXDOMAIN stands
 * where both families were answered so, else NO_ADDRESS. TIMEOUT stands for a silence of five tries
 * too, which end after 31 times retry_ms; a family that stays silent while the other one was found
 * is given up after 7 times retry_ms.
 *
 * False: the child could not be started, died, or answered nonsense. The child is always reaped.
 */
bool resolver_run(const struct policy *policy, const struct resolver_settings *settings,
		  struct resolved *ret, struct err *err);

#endif
