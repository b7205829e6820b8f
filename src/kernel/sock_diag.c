/* sock_diag.c: the sockets of this network namespace that have a peer: listed and ended. */
#include "kernel/sock_diag.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/socket_count.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	RECEIVE_SIZE = 64 * 1024, /* one datagram of a dump is at most 32 KiB */
	/*
	 * All states in which a peer is known; a listener holds no connection
	 * (include/net/tcp_states.h).
	 */
	CONNECTED_STATES = 1 << TCP_ESTABLISHED | 1 << TCP_SYN_SENT | 1 << TCP_SYN_RECV |
			   1 << TCP_FIN_WAIT1 | 1 << TCP_FIN_WAIT2 | 1 << TCP_CLOSE_WAIT |
			   1 << TCP_LAST_ACK | 1 << TCP_CLOSING,
};

int sock_diag_open(unsigned timeout_ms, struct sock_diag *ret)
{
	const struct timeval timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	int errnum;

	if (descriptor >= 0 &&
	    !setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout))) {
		*ret = (struct sock_diag){ descriptor, memory_resize(NULL, RECEIVE_SIZE, 1) };
		return 0;
	}
	errnum = errno;
	if (descriptor >= 0)
		close(descriptor);
	return errnum;
}

void sock_diag_close(struct sock_diag *link)
{
	close(link->descriptor);
	free(link->buffer);
}

static int send_request(const struct sock_diag *link, uint16_t type, uint16_t flags,
			const void *request, size_t length)
{
	struct {
		struct nlmsghdr header;
		uint8_t body[sizeof(struct inet_diag_req_v2) + sizeof(struct inet_diag_req)];
	} message = {
		.header = {
			.nlmsg_len = (uint32_t)(NLMSG_HDRLEN + length),
			.nlmsg_type = type,
			.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
		},
	};
	ssize_t sent;

	memcpy(message.body, request, length);
	do
		sent = send(link->descriptor, &message, message.header.nlmsg_len, 0);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno;
	return sent == (ssize_t)message.header.nlmsg_len ? 0 : EMSGSIZE;
}

/* Reads one datagram; its length, or -1 with errno. */
static ssize_t receive(const struct sock_diag *link)
{
	ssize_t length;

	do
		length = recv(link->descriptor, link->buffer, RECEIVE_SIZE, MSG_TRUNC);
	while (length < 0 && errno == EINTR);
	if (length > RECEIVE_SIZE) {
		errno = EMSGSIZE;
		return -1;
	}
	return length;
}

struct listing {
	uint8_t protocol;
	take_socket *take;
	void *context;
};

struct answer {
	take_answer *take; /* NULL: only the end of the answer is of interest */
	void *context;
};

enum datagram { DATAGRAM_MORE, DATAGRAM_END, DATAGRAM_ERROR };

static enum datagram read_error(const struct netlink_message *message, int *ret_errno)
{
	struct cursor payload = message->payload;
	const uint8_t *bytes = cursor_take(&payload, sizeof(int));
	int error = -EBADMSG;

	if (bytes)
		memcpy(&error, bytes, sizeof(error));
	*ret_errno = -error;
	return error ? DATAGRAM_ERROR : DATAGRAM_END;
}

/* The messages of one datagram; *ret_errno is set where the kernel answers with an error. */
static enum datagram read_datagram(struct cursor datagram, const struct answer *answer,
				   int *ret_errno)
{
	struct netlink_message message;
	bool malformed;

	while (netlink_next(&datagram, &message, &malformed)) {
		if (message.type == NLMSG_DONE)
			return DATAGRAM_END;
		if (message.type == NLMSG_ERROR)
			return read_error(&message, ret_errno);
		if ((message.type == TCPDIAG_GETSOCK || message.type == SOCK_DIAG_BY_FAMILY) &&
		    answer->take)
			answer->take(answer->context, &message);
	}
	*ret_errno = EBADMSG;
	return malformed ? DATAGRAM_ERROR : DATAGRAM_MORE;
}

/* Reads until the answer to one request is over. */
static int read_answer(const struct sock_diag *link, const struct answer *answer)
{
	for (;;) {
		ssize_t length = receive(link);
		int errnum = 0;

		if (length < 0)
			return errno;
		switch (read_datagram(cursor_over(link->buffer, (size_t)length), answer, &errnum)) {
		case DATAGRAM_MORE:
			continue;
		case DATAGRAM_END:
			return 0;
		case DATAGRAM_ERROR:
			return errnum;
		}
	}
}

int sock_diag_dump(struct sock_diag *link, uint16_t type, const void *request, size_t length,
		   take_answer *take, void *context)
{
	int errnum = send_request(link, type, NLM_F_DUMP, request, length);

	return errnum ? errnum : read_answer(link, &(struct answer){ take, context });
}

static void take_inet(void *context, const struct netlink_message *message)
{
	const struct listing *listing = context;
	struct cursor whole = cursor_over(message->bytes, message->length);
	struct inet_diag_msg socket;
	const uint8_t *bytes;

	if (!cursor_take(&whole, NLMSG_HDRLEN) || !(bytes = cursor_take(&whole, sizeof(socket))))
		return;
	memcpy(&socket, bytes, sizeof(socket));
	listing->take(listing->context, listing->protocol, &socket);
}

/*
 * One walk over the kernel's table for both families: the old request is answered for any family,
 * the new one for the one that it names (net/ipv4/inet_diag.c, inet_diag_rcv_msg_compat()).
 */
static int list_tcp(struct sock_diag *link, struct listing *listing)
{
	const struct inet_diag_req request = { .idiag_states = CONNECTED_STATES };

	return sock_diag_dump(link, TCPDIAG_GETSOCK, &request, sizeof(request), take_inet, listing);
}

static int list_families(struct sock_diag *link, struct inet_diag_req_v2 request,
			 struct listing *listing)
{
	static const uint8_t families[] = { AF_INET, AF_INET6 };
	int errnum = 0;

	request.sdiag_protocol = listing->protocol;
	for (size_t i = 0; !errnum && i < sizeof(families); i++) {
		request.sdiag_family = families[i];
		errnum = sock_diag_dump(link, SOCK_DIAG_BY_FAMILY, &request, sizeof(request),
					take_inet, listing);
	}
	return errnum;
}

/* A connected datagram socket is "established". */
static int list_datagram(struct sock_diag *link, struct listing *listing)
{
	const struct inet_diag_req_v2 request = { .idiag_states = 1 << TCP_ESTABLISHED };

	return list_families(link, request, listing);
}

int sock_diag_list(struct sock_diag *link, uint8_t protocol, take_socket *take, void *context)
{
	struct listing listing = { protocol, take, context };

	if (protocol == IPPROTO_TCP && !tcp_sockets_may_exist())
		return 0;
	return protocol == IPPROTO_TCP ? list_tcp(link, &listing) : list_datagram(link, &listing);
}

int sock_diag_list_port(struct sock_diag *link, uint16_t port, uint32_t states, take_socket *take,
			void *context)
{
	const struct inet_diag_req_v2 request = {
		.idiag_states = states,
		.id = { .idiag_sport = htons(port) },
	};
	struct listing listing = { IPPROTO_TCP, take, context };

	return list_families(link, request, &listing);
}

int sock_diag_end(struct sock_diag *link, uint8_t protocol, const struct inet_diag_msg *socket)
{
	const struct inet_diag_req_v2 request = {
		.sdiag_family = socket->idiag_family,
		.sdiag_protocol = protocol,
		.idiag_states = UINT32_MAX,
		.id = socket->id,
	};
	int errnum = send_request(link, SOCK_DESTROY, NLM_F_ACK, &request, sizeof(request));

	return errnum ? errnum : read_answer(link, &(struct answer){ NULL, NULL });
}

bool sock_diag_is_unsupported(int errnum)
{
	return errnum == EPROTONOSUPPORT || errnum == EOPNOTSUPP || errnum == ENOENT ||
	       errnum == EINVAL;
}
