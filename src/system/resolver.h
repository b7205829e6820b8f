/* resolver.h: all names of a policy at once, in a child that has no privileges. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_H
#define EGRESSFW_SYSTEM_RESOLVER_H

#include "base/err.h"
#include "plan/resolved.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

struct resolver_settings {
	const char *resolv_conf;  /* NULL: /etc/resolv.conf; the only source of nameservers */
	unsigned timeout_ms;      /* for everything together */
	unsigned in_flight_max;   /* queries under way at once; 0: 128 */
	unsigned retry_ms;        /* first retransmission; 0: 300 */
	/* Called every second while names are open, in the parent; may be NULL. */
	void (*progress)(void *context, size_t open, size_t total, unsigned elapsed_ms);
	void *context;
};

/*
 * Forks; the child isolates itself (privilege.h), asks for A and AAAA of every name as absolute names over UDP, over TCP when truncated, follows
 * aliases within the answer only from owner to target, and writes resolved_encode() to a pipe, from which the parent takes at most 64 MiB and validates.
 * No hosts file, no search list, no environment variable has influence. A name that cannot be resolved is no error here: see resolved_check().
 * False: the child could not be started, died, or answered nonsense. The child is always reaped.
 */
bool resolver_run(const struct policy *policy, const struct resolver_settings *settings,
		  struct resolved *ret, struct err *err);

#endif
