/* conntrack.h: the entry of one TCP connection in connection tracking: found, marked, made. */
#ifndef EGRESSFW_KERNEL_CONNTRACK_H
#define EGRESSFW_KERNEL_CONNTRACK_H

#include "base/buffer.h"
#include "plan/judge.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel's link for it (ctnetlink). Connections are named by a packet of theirs, of either
 * direction. Whatever fails says so by its error number, 0: done; ENOENT: there is no such entry;
 * EINVAL or EOPNOTSUPP: the kernel has no ctnetlink. Needs CAP_NET_ADMIN in effect.
 */
struct conntrack {
	int descriptor;
	uint32_t sequence; /* of the last request */
	struct buffer request;
	uint8_t *answer;
};

int conntrack_open(unsigned timeout_ms, struct conntrack *ret);
void conntrack_close(struct conntrack *link);

/* Sets or takes the bit OWNED_MARK and leaves the others as they are. */
int conntrack_mark(struct conntrack *link, const struct packet *packet, bool set);

/*
 * Makes an entry, marked, for an established connection whose beginning was not seen; its window is
 * not known, so no packet of it is found invalid for its numbers. EEXIST: there is one now.
 */
int conntrack_make(struct conntrack *link, const struct packet *packet);

int conntrack_read_mark(struct conntrack *link, const struct packet *packet, uint32_t *ret);

#endif
