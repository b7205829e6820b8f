/* connection_mark.h: marks connections from before, so that the rules know whose they are. */
#ifndef EGRESSFW_KERNEL_CONNECTION_MARK_H
#define EGRESSFW_KERNEL_CONNECTION_MARK_H

#include "base/err.h"
#include "plan/ruleset.h"

#include <stddef.h>

struct connections_marked {
	size_t marked;  /* read back */
	size_t unknown; /* closed files whose user this kernel does not tell: not marked */
	size_t failed;  /* could not be marked, or not in time */
};

/*
 * A file that is closed may have data that waits to be sent, and what is sent then has no owner.
 * The ruleset lets it pass on connections that its owner was free to use, which it knows by a mark
 * that the owner's packets have left; those of a connection from before have left none. So, before
 * the ruleset is committed, every TCP connection with something left to send, or that was closed
 * and is not over, gets the mark where the ruleset would set it by its owner's next packet. An
 * entry that connection tracking does not have is made.
 *
 * Needs CAP_NET_ADMIN in effect. False: the sockets could not be listed. A kernel that has no
 * sock_diag or no ctnetlink marks nothing.
 */
bool connections_mark(const struct ruleset *ruleset, unsigned timeout_ms,
		      struct connections_marked *ret, struct err *err);

/*
 * The contrary, after the commit, for what could not be ended: takes the mark that another table or
 * an earlier one has left from every TCP connection that the ruleset refuses, so that nothing more
 * leaves by it. Where the kernel has no sock_diag or no ctnetlink it does nothing. False: a mark
 * stayed, or the sockets could not be listed.
 */
bool connections_unmark(const struct ruleset *ruleset, unsigned timeout_ms, struct err *err);

#endif
