/* log_group.c: the kernel's log group of refused packets, bound and read. */
#include "kernel/log_group.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/nft_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	COPY_BYTES = 128,         /* headers; more of a refused packet is nobody's business */
	DATAGRAM_MAX = 1 << 17,   /* the kernel's largest batch of records, and room */
	RECEIVE_BUFFER = 4 << 20, /* so that a burst is rather kept than lost */
	ANSWER_MS = 5000,
};

struct log_group {
	int descriptor;
	uint32_t sequence;    /* of requests */
	bool any;             /* a record has come */
	uint32_t next_record; /* number that the next record has, if none is lost */
	uint64_t counted;     /* losses that were counted before the gap was seen */
	uint8_t *datagram;
	struct cursor rest; /* of the datagram */
};

/*
 * Waits for the answer to the request sent last. Records that come before it are left out: nobody
 * has seen the group yet.
 */
static bool await_answer(struct log_group *log, int *ret_errnum)
{
	for (;;) {
		struct pollfd descriptor = { .fd = log->descriptor, .events = POLLIN };
		struct netlink_message message;
		struct cursor bytes;
		char text[128];
		bool malformed;
		ssize_t length;
		int ready = poll(&descriptor, 1, ANSWER_MS);

		if (ready < 0 && errno == EINTR)
			continue;
		*ret_errnum = ready < 0 ? errno : ETIMEDOUT;
		if (ready <= 0)
			return false;
		length = recv(log->descriptor, log->datagram, DATAGRAM_MAX, MSG_DONTWAIT);
		if (length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOBUFS))
			continue;
		*ret_errnum = length < 0 ? errno : 0;
		if (length < 0)
			return false;
		bytes = cursor_over(log->datagram, (size_t)length);
		while (netlink_next(&bytes, &message, &malformed))
			if (message.type == NLMSG_ERROR && message.sequence == log->sequence)
				return netlink_error(&message, ret_errnum, text, sizeof(text)) &&
				       !*ret_errnum;
	}
}

/* One message with one attribute, acknowledged. */
static bool request(struct log_group *log, uint16_t type, uint16_t group, uint16_t attribute,
		    const void *data, size_t length, int *ret_errnum)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct buffer out = { 0 };
	size_t start = netlink_begin(&out, (uint16_t)(NFNL_SUBSYS_ULOG << 8 | type), NLM_F_ACK,
				     ++log->sequence, AF_UNSPEC, group);
	bool sent;

	netlink_put(&out, attribute, data, length);
	netlink_end(&out, start);
	sent = sendto(log->descriptor, out.data, out.length, 0, (const struct sockaddr *)&kernel,
		      sizeof(kernel)) == (ssize_t)out.length;
	*ret_errnum = sent ? 0 : errno;
	buffer_free(&out);
	return sent && await_answer(log, ret_errnum);
}

static bool configure(struct log_group *log, uint16_t group, uint16_t attribute, const void *data,
		      size_t length, int *ret_errnum)
{
	return request(log, NFULNL_MSG_CONFIG, group, attribute, data, length, ret_errnum);
}

/*
 * A group of somebody else gives EPERM, as a missing capability does. But then a message of a type
 * that there is not gives it too, which else is invalid.
 */
static bool is_capable(struct log_group *log)
{
	int errnum;

	return !request(log, UINT8_MAX, 0, NFULA_UNSPEC, NULL, 0, &errnum) && errnum != EPERM;
}

/*
 * Only the group is bound. Binding a protocol family as well would make us the logger of every rule
 * of the namespace that names none, which is not ours to change.
 */
static bool bind_group(struct log_group *log, uint16_t group, int *ret_errnum)
{
	const struct nfulnl_msg_config_cmd command = { .command = NFULNL_CFG_CMD_BIND };
	const struct nfulnl_msg_config_mode mode = {
		.copy_range = htonl(COPY_BYTES),
		.copy_mode = NFULNL_COPY_PACKET,
	};
	const uint32_t one = htonl(1);
	const uint16_t numbered = htons(NFULNL_CFG_F_SEQ);

	return configure(log, group, NFULA_CFG_CMD, &command, sizeof(command), ret_errnum) &&
	       configure(log, group, NFULA_CFG_MODE, &mode, sizeof(mode), ret_errnum) &&
	       configure(log, group, NFULA_CFG_QTHRESH, &one, sizeof(one), ret_errnum) &&
	       configure(log, group, NFULA_CFG_TIMEOUT, &one, sizeof(one), ret_errnum) &&
	       configure(log, group, NFULA_CFG_FLAGS, &numbered, sizeof(numbered), ret_errnum);
}

bool log_group_open(uint16_t group, struct log_group **ret, bool *ret_busy, struct err *err)
{
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	struct log_group *log = memory_allocate(1, sizeof(*log));
	int size = RECEIVE_BUFFER, errnum = 0;

	*ret_busy = false;
	log->datagram = memory_allocate(DATAGRAM_MAX, 1);
	log->descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (log->descriptor < 0 ||
	    bind(log->descriptor, (const struct sockaddr *)&self, sizeof(self)))
		errnum = errno;
	if (!errnum && setsockopt(log->descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(log->descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (!errnum && bind_group(log, group, &errnum)) {
		*ret = log;
		return true;
	}
	if (errnum == EPERM && is_capable(log))
		errnum = EBUSY;
	*ret_busy = errnum == EBUSY;
	err_set_errno(err, errnum, "cannot listen on log group %u%s", group,
		      errnum == EPERM ? " (CAP_NET_ADMIN over this network namespace is needed)"
				      : "");
	log_group_close(log);
	return false;
}

void log_group_close(struct log_group *log)
{
	if (!log)
		return;
	if (log->descriptor >= 0)
		close(log->descriptor);
	free(log->datagram);
	free(log);
}

int log_group_descriptor(const struct log_group *log)
{
	return log->descriptor;
}

/* Adds to *lost the records between the last one and this one. */
static void count_gap(struct log_group *log, const struct netlink_message *message, uint64_t *lost)
{
	uint32_t number, gap;

	if (!attribute_u32(message->payload, NFULA_SEQ, &number))
		return;
	gap = log->any ? number - log->next_record : number;
	if (gap > log->counted)
		*lost += gap - log->counted;
	log->counted = 0;
	log->any = true;
	log->next_record = number + 1;
}

/* The next record of the datagram; what is no packet, or a torn one, is passed over. */
static bool next_record(struct log_group *log, struct log_record *ret, uint64_t *lost)
{
	struct netlink_message message;
	bool malformed;

	while (netlink_next(&log->rest, &message, &malformed)) {
		if (message.type != (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET))
			continue;
		count_gap(log, &message, lost);
		if (!log_record_decode(message.bytes, message.length, ret))
			continue;
		if (!ret->out_index || !if_indextoname(ret->out_index, ret->out_interface))
			ret->out_interface[0] = '\0';
		return true;
	}
	return false;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Receives one datagram into log->rest; *ret_some false: none came in time. */
static bool receive(struct log_group *log, int wait_ms, bool *ret_some, uint64_t *lost,
		    struct err *err)
{
	struct pollfd descriptor = { .fd = log->descriptor, .events = POLLIN };
	struct sockaddr_nl sender = { 0 };
	socklen_t size = sizeof(sender);
	ssize_t length;

	*ret_some = false;
	if (poll(&descriptor, 1, wait_ms) <= 0)
		return true;
	length = recvfrom(log->descriptor, log->datagram, DATAGRAM_MAX, MSG_DONTWAIT,
			  (struct sockaddr *)&sender, &size);
	if (length < 0 && errno == ENOBUFS) {
		++*lost;
		log->counted++;
	} else if (length < 0 && errno != EAGAIN && errno != EINTR) {
		err_set_errno(err, errno, "cannot read from the log group");
		return false;
	}
	if (length <= 0 || sender.nl_pid != 0)
		return true;
	log->rest = cursor_over(log->datagram, (size_t)length);
	*ret_some = true;
	return true;
}

bool log_group_read(struct log_group *log, int timeout_ms, struct log_record *ret, bool *ret_some,
		    uint64_t *lost, struct err *err)
{
	int64_t deadline = now_ms() + timeout_ms;

	for (;;) {
		int64_t left = deadline - now_ms();
		bool some;

		if (next_record(log, ret, lost)) {
			*ret_some = true;
			return true;
		}
		if (left < 0)
			left = 0;
		if (!receive(log, timeout_ms < 0 ? -1 : (int)left, &some, lost, err))
			return false;
		if (!some && timeout_ms >= 0 && now_ms() >= deadline) {
			*ret_some = false;
			return true;
		}
	}
}
