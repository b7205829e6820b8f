/* nft_link.c: the netlink socket under nft.h: sending, and bounded receiving. */
#include "kernel/nft_link.h"

#include "base/memory.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	DATAGRAM_MAX = 1 << 18, /* the kernel fills 32 KiB of a dump at once */
	RECEIVE_BUFFER = 1 << 20,
	SOCKET_OVERHEAD = 32, /* of the send buffer, which a datagram must leave free */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t nft_deadline(const struct nft *nft)
{
	return now_ms() + nft->timeout_ms;
}

/* With CAP_NET_ADMIN beyond the system's limit, else up to it. */
static void raise_buffer(int descriptor, int forced, int usual, size_t bytes)
{
	int value = bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;

	if (setsockopt(descriptor, SOL_SOCKET, forced, &value, sizeof(value)))
		setsockopt(descriptor, SOL_SOCKET, usual, &value, sizeof(value));
}

size_t nft_raise_send_limit(struct nft *nft, size_t length)
{
	int value = 0;
	socklen_t size = sizeof(value);

	if (nft->batch_limit)
		return nft->batch_limit;
	getsockopt(nft->descriptor, SOL_SOCKET, SO_SNDBUF, &value, &size);
	if (value < SOCKET_OVERHEAD || (size_t)value - SOCKET_OVERHEAD < length) {
		raise_buffer(nft->descriptor, SO_SNDBUFFORCE, SO_SNDBUF, length + SOCKET_OVERHEAD);
		size = sizeof(value);
		getsockopt(nft->descriptor, SOL_SOCKET, SO_SNDBUF, &value, &size);
	}
	return value < SOCKET_OVERHEAD ? 0 : (size_t)value - SOCKET_OVERHEAD;
}

void nft_set_batch_limit(struct nft *nft, size_t bytes)
{
	nft->batch_limit = bytes;
}

bool nft_send(struct nft *nft, const void *bytes, size_t length, int *ret_errnum)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	ssize_t sent;

	do
		sent = sendto(nft->descriptor, bytes, length, 0, (const struct sockaddr *)&kernel,
			      sizeof(kernel));
	while (sent < 0 && errno == EINTR);
	if (sent >= 0 && (size_t)sent == length)
		return true;
	*ret_errnum = sent < 0 ? errno : EMSGSIZE;
	return false;
}

/* Waits for something to read; false with *ret_errnum. */
static bool wait_readable(struct nft *nft, int64_t deadline, int *ret_errnum)
{
	struct pollfd descriptor = { .fd = nft->descriptor, .events = POLLIN };
	int64_t left = deadline - now_ms();
	int ready = left > 0 ? poll(&descriptor, 1, left > INT32_MAX ? INT32_MAX : (int)left) : 0;

	if (ready > 0 || (ready < 0 && errno == EINTR))
		return true;
	*ret_errnum = ready < 0 ? errno : ETIMEDOUT;
	return false;
}

bool nft_receive(struct nft *nft, int64_t deadline, size_t *ret_length, int *ret_errnum)
{
	for (;;) {
		struct sockaddr_nl sender = { 0 };
		struct iovec vector = { nft->datagram, DATAGRAM_MAX };
		struct msghdr header = {
			.msg_name = &sender,
			.msg_namelen = sizeof(sender),
			.msg_iov = &vector,
			.msg_iovlen = 1,
		};
		ssize_t length = recvmsg(nft->descriptor, &header, MSG_DONTWAIT);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			if (!wait_readable(nft, deadline, ret_errnum))
				return false;
			continue;
		}
		if (length < 0 || header.msg_flags & MSG_TRUNC) {
			*ret_errnum = length < 0 ? errno : EMSGSIZE;
			return false;
		}
		if (header.msg_namelen != sizeof(sender) || sender.nl_pid != 0)
			continue; /* not the kernel */
		*ret_length = (size_t)length;
		return true;
	}
}

bool netlink_error(const struct netlink_message *message, int *ret_errnum, char *ret_text,
		   size_t size)
{
	struct cursor rest = message->payload;
	const uint8_t *bytes = cursor_take(&rest, sizeof(struct nlmsgerr));
	struct nlmsgerr error;
	size_t echoed;

	if (!bytes)
		return false;
	memcpy(&error, bytes, sizeof(error));
	*ret_errnum = -error.error;
	*ret_text = '\0';
	if (!(message->flags & NLM_F_ACK_TLVS))
		return true;
	/* Unless it is capped, the message that was refused stands before the attributes. */
	echoed = message->flags & NLM_F_CAPPED || error.msg.nlmsg_len < NLMSG_HDRLEN
			 ? 0
			 : NLMSG_ALIGN(error.msg.nlmsg_len) - NLMSG_HDRLEN;
	if (cursor_take(&rest, echoed))
		attribute_text(rest, NLMSGERR_ATTR_MSG, ret_text, size);
	return true;
}

bool nft_open(unsigned timeout_ms, struct nft **ret, int *ret_errno, struct err *err)
{
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	struct nft nft = { .timeout_ms = timeout_ms };
	const int on = 1;
	uint32_t generation;

	nft.descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (nft.descriptor < 0 ||
	    bind(nft.descriptor, (const struct sockaddr *)&self, sizeof(self))) {
		*ret_errno = errno;
		err_set_errno(err, *ret_errno, "cannot open a netlink socket for netfilter");
		if (nft.descriptor >= 0)
			close(nft.descriptor);
		return false;
	}
	/* Without these two an error says less, and echoes the message; it is as sure. */
	setsockopt(nft.descriptor, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(nft.descriptor, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	raise_buffer(nft.descriptor, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
	nft.datagram = memory_allocate(DATAGRAM_MAX, 1);
	if (!nft_ask_generation(&nft, &generation, ret_errno, err)) {
		close(nft.descriptor);
		free(nft.datagram);
		return false;
	}
	*ret = memory_copy(&nft, sizeof(nft));
	return true;
}

void nft_close(struct nft *nft)
{
	if (!nft)
		return;
	close(nft->descriptor);
	free(nft->datagram);
	free(nft);
}
