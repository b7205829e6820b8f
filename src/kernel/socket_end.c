/* socket_end.c: ends the TCP sockets that confined users hold to places which a ruleset refuses. */
#include "kernel/socket_end.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "plan/judge.h"

#include <errno.h>
#include <linux/inet_diag.h>
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
	ROUNDS_MAX = 16,          /* how often a user's new subflows are looked for */
	RECEIVE_SIZE = 64 * 1024, /* one datagram of a dump is at most 32 KiB */
	TCP_ACK_FLAG = 0x10,
	/*
	 * All states in which a peer is known; a listener holds no connection
	 * (include/net/tcp_states.h).
	 */
	CONNECTED_STATES = 1 << TCP_ESTABLISHED | 1 << TCP_SYN_SENT | 1 << TCP_FIN_WAIT1 |
			   1 << TCP_FIN_WAIT2 | 1 << TCP_CLOSE_WAIT | 1 << TCP_LAST_ACK |
			   1 << TCP_CLOSING,
};

struct ending {
	int socket;
	const struct ruleset *ruleset;
	struct inet_diag_req_v2 *found;
	size_t count;
};

static struct address read_address(const struct inet_diag_msg *message, const __be32 words[4])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	struct address address = { .family = FAMILY_IPV6 };

	if (message->idiag_family == AF_INET) {
		address.family = FAMILY_IPV4;
		memcpy(address.bytes, words, 4);
		return address;
	}
	memcpy(address.bytes, words, 16);
	/* A socket of IPv6 that speaks to a v4-mapped address sends IPv4. */
	if (!memcmp(address.bytes, mapped, sizeof(mapped))) {
		struct address inner = { .family = FAMILY_IPV4 };

		memcpy(inner.bytes, address.bytes + 12, 4);
		return inner;
	}
	return address;
}

static bool is_loopback(const struct address *address)
{
	const char *purpose = address_special(address);

	return purpose && !strcmp(purpose, "loopback");
}

static bool is_refused(const struct ruleset *ruleset, const struct inet_diag_msg *message)
{
	struct packet packet = {
		.owned = true,
		.uid = message->idiag_uid,
		.source = read_address(message, message->id.idiag_src),
		.destination = read_address(message, message->id.idiag_dst),
		.protocol = IPPROTO_TCP,
		.source_port = ntohs(message->id.idiag_sport),
		.destination_port = ntohs(message->id.idiag_dport),
		.tcp_flags = TCP_ACK_FLAG,
		.tracked = true,
	};
	uint32_t mark;

	packet.destination_local = is_loopback(&packet.destination) ||
				   !address_compare(&packet.source, &packet.destination);
	packet.out_loopback = packet.destination_local;
	if (judge_sent(ruleset, &packet, &mark) == JUDGED_ACCEPT)
		return false;
	packet.reply = true;
	return judge_sent(ruleset, &packet, &mark) != JUDGED_ACCEPT;
}

static bool send_request(int descriptor, uint16_t type, uint16_t flags, const void *request,
			 size_t length)
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
		sent = send(descriptor, &message, message.header.nlmsg_len, 0);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)message.header.nlmsg_len;
}

/* Reads one datagram; its length, or -1 with errno. */
static ssize_t receive(int descriptor, uint8_t *buffer)
{
	ssize_t length;

	do
		length = recv(descriptor, buffer, RECEIVE_SIZE, MSG_TRUNC);
	while (length < 0 && errno == EINTR);
	if (length > RECEIVE_SIZE) {
		errno = EMSGSIZE;
		return -1;
	}
	return length;
}

static void take_socket(struct ending *ending, const struct inet_diag_msg *message)
{
	if (!is_refused(ending->ruleset, message))
		return;
	ending->found = memory_resize(ending->found, ending->count + 1, sizeof(*ending->found));
	ending->found[ending->count++] = (struct inet_diag_req_v2){
		.sdiag_family = message->idiag_family,
		.sdiag_protocol = IPPROTO_TCP,
		.idiag_states = UINT32_MAX,
		.id = message->id,
	};
}

enum datagram { DATAGRAM_MORE, DATAGRAM_END, DATAGRAM_ERROR };

/* The messages of one datagram; *ret_errno is set where the kernel answers with an error. */
static enum datagram read_datagram(struct cursor datagram, struct ending *ending, int *ret_errno)
{
	while (cursor_left(&datagram) >= NLMSG_HDRLEN) {
		struct nlmsghdr header;
		struct inet_diag_msg message;
		struct cursor payload;
		const uint8_t *bytes = cursor_take(&datagram, NLMSG_HDRLEN);
		int error = 0;

		memcpy(&header, bytes, sizeof(header));
		if (header.nlmsg_len < NLMSG_HDRLEN ||
		    !(bytes = cursor_take(&datagram, header.nlmsg_len - NLMSG_HDRLEN))) {
			*ret_errno = EBADMSG;
			return DATAGRAM_ERROR;
		}
		payload = cursor_over(bytes, header.nlmsg_len - NLMSG_HDRLEN);
		cursor_take(&datagram, NLMSG_ALIGN(header.nlmsg_len) - header.nlmsg_len);
		if (header.nlmsg_type == NLMSG_DONE)
			return DATAGRAM_END;
		if (header.nlmsg_type == NLMSG_ERROR) {
			bytes = cursor_take(&payload, sizeof(error));
			if (bytes)
				memcpy(&error, bytes, sizeof(error));
			*ret_errno = bytes ? -error : EBADMSG;
			return *ret_errno ? DATAGRAM_ERROR : DATAGRAM_END;
		}
		bytes = cursor_take(&payload, sizeof(message));
		if ((header.nlmsg_type != TCPDIAG_GETSOCK &&
		     header.nlmsg_type != SOCK_DIAG_BY_FAMILY) ||
		    !bytes)
			continue;
		memcpy(&message, bytes, sizeof(message));
		take_socket(ending, &message);
	}
	return DATAGRAM_MORE;
}

/* Reads until the answer to one request is over; 0 or the error number. */
static int read_answer(struct ending *ending, uint8_t *buffer)
{
	for (;;) {
		ssize_t length = receive(ending->socket, buffer);
		int errnum = 0;

		if (length < 0)
			return errno;
		switch (read_datagram(cursor_over(buffer, (size_t)length), ending, &errnum)) {
		case DATAGRAM_MORE:
			continue;
		case DATAGRAM_END:
			return 0;
		case DATAGRAM_ERROR:
			return errnum;
		}
	}
}

/*
 * One walk over the kernel's table for both families: the old request is answered for any family,
 * the new one for the one that it names (net/ipv4/inet_diag.c, inet_diag_rcv_msg_compat()).
 */
static int list_refused(struct ending *ending, uint8_t *buffer)
{
	const struct inet_diag_req request = { .idiag_states = CONNECTED_STATES };

	ending->count = 0;
	if (!send_request(ending->socket, TCPDIAG_GETSOCK, NLM_F_DUMP, &request, sizeof(request)))
		return errno;
	return read_answer(ending, buffer);
}

/* Ends what was found; a socket that is gone meanwhile needs no ending. */
static void end_found(struct ending *ending, uint8_t *buffer, struct sockets_ended *ended)
{
	ended->left = 0;
	for (size_t i = 0; i < ending->count && !ended->unsupported; i++) {
		struct ending ignored = { .socket = ending->socket, .ruleset = ending->ruleset };
		int errnum = send_request(ending->socket, SOCK_DESTROY, NLM_F_ACK,
					  &ending->found[i], sizeof(ending->found[i]))
				     ? read_answer(&ignored, buffer)
				     : errno;

		free(ignored.found);
		if (!errnum)
			ended->ended++;
		else if (errnum == EOPNOTSUPP || errnum == EINVAL)
			ended->unsupported = true;
		else if (errnum != ENOENT)
			ended->left++;
	}
}

static bool open_socket(unsigned timeout_ms, int *ret, int *ret_errno)
{
	const struct timeval timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };

	*ret = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (*ret >= 0 && !setsockopt(*ret, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		return true;
	*ret_errno = errno;
	if (*ret >= 0)
		close(*ret);
	return false;
}

/* What a kernel answers that was built without sock_diag, or without it for TCP. */
static bool is_unsupported(int errnum)
{
	return errnum == EPROTONOSUPPORT || errnum == EOPNOTSUPP || errnum == ENOENT ||
	       errnum == EINVAL;
}

bool sockets_end(const struct ruleset *ruleset, unsigned timeout_ms, struct sockets_ended *ret,
		 struct err *err)
{
	struct ending ending = { .ruleset = ruleset };
	struct sockets_ended ended = { 0 };
	autofree uint8_t *buffer = NULL;
	int errnum = 0;

	if (!open_socket(timeout_ms, &ending.socket, &errnum)) {
		if (!is_unsupported(errnum)) {
			err_set_errno(err, errnum, "listing the sockets of the confined users");
			return false;
		}
		*ret = (struct sockets_ended){ .unsupported = true };
		return true;
	}
	buffer = memory_allocate(RECEIVE_SIZE, 1);
	for (int round = 0; round < ROUNDS_MAX && !ended.unsupported; round++) {
		errnum = list_refused(&ending, buffer);
		if (errnum || !ending.count)
			break;
		end_found(&ending, buffer, &ended);
	}
	if (!errnum && ending.count && ended.left < ending.count)
		ended.left = ending.count;
	free(ending.found);
	close(ending.socket);
	if (errnum && !is_unsupported(errnum)) {
		err_set_errno(err, errnum, "listing the sockets of the confined users");
		return false;
	}
	ended.unsupported = ended.unsupported || errnum;
	*ret = ended;
	return true;
}
