/* socket_end.h: ends the sockets that confined users hold to places which a ruleset refuses. */
#ifndef EGRESSFW_KERNEL_SOCKET_END_H
#define EGRESSFW_KERNEL_SOCKET_END_H

#include "base/err.h"
#include "plan/judge.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>

struct sockets_ended {
	size_t ended; /* sockets that were ended */
	size_t left;  /* that the kernel would not end, or that came back again and again */
	bool unsupported; /* the kernel has no SOCK_DESTROY: none was ended (CONFIG_INET_DIAG_DESTROY) */
};

/*
 * A connection from before the lock sends nothing any more, but what was written to it and not yet
 * sent would leave without an owner once it is closed. So every TCP socket of this network
 * namespace whose packets the ruleset refuses in both directions is ended (sock_diag(7),
 * SOCK_DESTROY), those of closed files too where the kernel still knows their user. The subflows of
 * an MPTCP connection are TCP sockets; since it may open others meanwhile, it is looked again until
 * none is left, bounded. Connected datagram sockets hold nothing back and are ended so that their
 * program learns of it. Sockets of users whom the ruleset does not confine are judged "accept" and
 * stay; listeners have no peer. What somebody outside began at a published port, under rules that
 * published it, goes on: its mark tells (ctnetlink; a kernel without it ends such connections too).
 *
 * Needs CAP_NET_ADMIN in effect. False: the sockets could not be listed.
 */
bool sockets_end(const struct ruleset *ruleset, unsigned timeout_ms, struct sockets_ended *ret,
		 struct err *err);

/* Whether the ruleset refuses the packets of a socket, whichever side began. */
bool socket_is_refused(const struct ruleset *ruleset, struct packet packet);

#endif
