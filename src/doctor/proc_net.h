/* proc_net.h: who listens, as the files in /proc/net tell it. */
#ifndef EGRESSFW_DOCTOR_PROC_NET_H
#define EGRESSFW_DOCTOR_PROC_NET_H

#include "base/address.h"
#include "doctor/words.h"

#include <stdbool.h>
#include <stdint.h>

/* Pure. A listening socket of /proc/net/unix. */
struct unix_listener {
	struct word path; /* what is bound; of an abstract one without the "@" */
	bool abstract;
};

/*
 * The next listening socket that is bound to a name; false at the end. The kernel writes names as
 * they are: one with a newline in it can make up a line, and hide none but its own.
 */
bool unix_listener_next(struct cursor *text, struct unix_listener *ret);

/* A listening TCP socket, or a UDP socket without a peer. */
struct inet_listener {
	struct address address; /* a v4-mapped one is IPv4 */
	uint16_t port;
	uint32_t uid;
};

/* The next of /proc/net/tcp, tcp6, udp or udp6; false at the end. */
bool inet_listener_next(struct cursor *text, bool tcp, struct inet_listener *ret);

/* Whether it is reached by a loopback address: bound to one, or to all addresses. */
bool inet_listener_on_loopback(const struct inet_listener *listener);

#endif
