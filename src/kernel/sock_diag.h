/* sock_diag.h: the sockets of this network namespace that have a peer: listed and ended. */
#ifndef EGRESSFW_KERNEL_SOCK_DIAG_H
#define EGRESSFW_KERNEL_SOCK_DIAG_H

#include <linux/inet_diag.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel's link for it (sock_diag(7)). Whatever fails says so by its error number, 0: done. */
struct sock_diag {
	int descriptor;
	uint8_t *buffer;
};

int sock_diag_open(unsigned timeout_ms, struct sock_diag *ret);
void sock_diag_close(struct sock_diag *link);

/* Takes one message of an answer. */
struct netlink_message;
typedef void take_answer(void *context, const struct netlink_message *message);

/* Asks for a list and takes all of it; no request may be made meanwhile. */
int sock_diag_dump(struct sock_diag *link, uint16_t type, const void *request, size_t length,
		   take_answer *take, void *context);

/* Takes one socket of a list; no request may be made meanwhile. */
typedef void take_socket(void *context, uint8_t protocol, const struct inet_diag_msg *socket);

/*
 * Every TCP socket that has a peer, of closed files too but for TIME_WAIT, or (UDP, UDP-Lite) every
 * one that is connected, of both families.
 */
int sock_diag_list(struct sock_diag *link, uint8_t protocol, take_socket *take, void *context);

/*
 * Every TCP socket with this port of its own in these states (a bit each,
 * include/net/tcp_states.h), of both families.
 */
int sock_diag_list_port(struct sock_diag *link, uint16_t port, uint32_t states, take_socket *take,
			void *context);

/* Ends one that was listed (needs CAP_NET_ADMIN); ENOENT: it is gone already. */
int sock_diag_end(struct sock_diag *link, uint8_t protocol, const struct inet_diag_msg *socket);

/* What a kernel answers that was built without sock_diag, or without it for this protocol. */
bool sock_diag_is_unsupported(int errnum);

#endif
