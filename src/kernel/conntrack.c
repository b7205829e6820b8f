/* conntrack.c: the entry of one TCP connection in connection tracking: found, marked, made. */
#include "kernel/conntrack.h"

#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/nft_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tcp.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	RECEIVE_SIZE = 16 * 1024, /* an entry takes some hundred bytes */
	/*
	 * Until the first packet is seen; each sets it anew. A closed window is probed at least
	 * every two minutes (net/ipv4/tcp.c, TCP_RTO_MAX).
	 */
	TIMEOUT_SECONDS = 300,
};

int conntrack_open(unsigned timeout_ms, struct conntrack *ret)
{
	const struct timeval timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	int errnum;

	if (descriptor >= 0 &&
	    !setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout))) {
		*ret = (struct conntrack){ .descriptor = descriptor,
					   .answer = memory_resize(NULL, RECEIVE_SIZE, 1) };
		return 0;
	}
	errnum = errno;
	if (descriptor >= 0)
		close(descriptor);
	return errnum;
}

void conntrack_close(struct conntrack *link)
{
	close(link->descriptor);
	buffer_free(&link->request);
	free(link->answer);
}

static void put_u16(struct buffer *out, uint16_t type, uint16_t value)
{
	uint16_t wire = htons(value);

	netlink_put(out, type, &wire, sizeof(wire));
}

static void put_tuple(struct buffer *out, uint16_t type, const struct packet *packet, bool reversed)
{
	const struct address *from = reversed ? &packet->destination : &packet->source;
	const struct address *to = reversed ? &packet->source : &packet->destination;
	bool ipv4 = from->family == FAMILY_IPV4;
	size_t length = ipv4 ? 4 : 16, tuple = netlink_nest_begin(out, type), part;

	part = netlink_nest_begin(out, CTA_TUPLE_IP);
	netlink_put(out, ipv4 ? CTA_IP_V4_SRC : CTA_IP_V6_SRC, from->bytes, length);
	netlink_put(out, ipv4 ? CTA_IP_V4_DST : CTA_IP_V6_DST, to->bytes, length);
	netlink_nest_end(out, part);
	part = netlink_nest_begin(out, CTA_TUPLE_PROTO);
	netlink_put(out, CTA_PROTO_NUM, &packet->protocol, 1);
	put_u16(out, CTA_PROTO_SRC_PORT, reversed ? packet->destination_port : packet->source_port);
	put_u16(out, CTA_PROTO_DST_PORT, reversed ? packet->source_port : packet->destination_port);
	netlink_nest_end(out, part);
	netlink_nest_end(out, tuple);
}

static void put_established(struct buffer *out)
{
	static const struct nf_ct_tcp_flags liberal = { IP_CT_TCP_FLAG_BE_LIBERAL,
							IP_CT_TCP_FLAG_BE_LIBERAL };
	const uint8_t state = TCP_CONNTRACK_ESTABLISHED;
	size_t information = netlink_nest_begin(out, CTA_PROTOINFO), tcp;

	tcp = netlink_nest_begin(out, CTA_PROTOINFO_TCP);
	netlink_put(out, CTA_PROTOINFO_TCP_STATE, &state, sizeof(state));
	netlink_put(out, CTA_PROTOINFO_TCP_FLAGS_ORIGINAL, &liberal, sizeof(liberal));
	netlink_put(out, CTA_PROTOINFO_TCP_FLAGS_REPLY, &liberal, sizeof(liberal));
	netlink_nest_end(out, tcp);
	netlink_nest_end(out, information);
}

/* Opens a request about the packet's connection. */
static size_t begin(struct conntrack *link, unsigned type, uint16_t flags,
		    const struct packet *packet)
{
	size_t start;

	link->request.length = 0;
	start = netlink_begin(&link->request, (uint16_t)(NFNL_SUBSYS_CTNETLINK << 8 | type), flags,
			      ++link->sequence,
			      packet->source.family == FAMILY_IPV4 ? AF_INET : AF_INET6, 0);
	put_tuple(&link->request, CTA_TUPLE_ORIG, packet, false);
	return start;
}

/* Whether a message ends the wait; *ret_errnum then says how it went. */
static bool is_end(const struct netlink_message *message, uint32_t *ret_mark, int *ret_errnum)
{
	char text[1];

	*ret_errnum = EBADMSG;
	if (message->type == NLMSG_ERROR) {
		netlink_error(message, ret_errnum, text, sizeof(text));
		return true;
	}
	if (message->type != (NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW) || !ret_mark)
		return false;
	/* A kernel that tracks no marks tells none. */
	*ret_errnum = attribute_u32(message->payload, CTA_MARK, ret_mark) ? 0 : EOPNOTSUPP;
	return true;
}

/* Sends the request and reads until it is answered. */
static int ask(struct conntrack *link, size_t start, uint32_t *ret_mark)
{
	ssize_t length;

	netlink_end(&link->request, start);
	do
		length = send(link->descriptor, link->request.data, link->request.length, 0);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno;
	for (;;) {
		struct netlink_message message;
		struct cursor datagram;
		bool malformed = false;
		int errnum;

		length = recv(link->descriptor, link->answer, RECEIVE_SIZE, MSG_TRUNC);
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return errno;
		if (length > RECEIVE_SIZE)
			return EMSGSIZE;
		datagram = cursor_over(link->answer, (size_t)length);
		while (netlink_next(&datagram, &message, &malformed))
			if (message.sequence == link->sequence &&
			    is_end(&message, ret_mark, &errnum))
				return errnum;
		if (malformed)
			return EBADMSG;
	}
}

int conntrack_mark(struct conntrack *link, const struct packet *packet, bool set)
{
	size_t start = begin(link, IPCTNL_MSG_CT_NEW, NLM_F_ACK, packet);

	netlink_put_u32(&link->request, CTA_MARK, set ? OWNED_MARK : 0);
	netlink_put_u32(&link->request, CTA_MARK_MASK, OWNED_MARK);
	return ask(link, start, NULL);
}

int conntrack_make(struct conntrack *link, const struct packet *packet)
{
	size_t start =
		begin(link, IPCTNL_MSG_CT_NEW, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, packet);

	put_tuple(&link->request, CTA_TUPLE_REPLY, packet, true);
	/* Without "assured" it would be the first to go when the table is full. */
	netlink_put_u32(&link->request, CTA_STATUS, IPS_CONFIRMED | IPS_SEEN_REPLY | IPS_ASSURED);
	netlink_put_u32(&link->request, CTA_TIMEOUT, TIMEOUT_SECONDS);
	netlink_put_u32(&link->request, CTA_MARK, OWNED_MARK);
	put_established(&link->request);
	return ask(link, start, NULL);
}

int conntrack_read_mark(struct conntrack *link, const struct packet *packet, uint32_t *ret)
{
	uint32_t mark = 0;
	int errnum = ask(link, begin(link, IPCTNL_MSG_CT_GET, 0, packet), &mark);

	if (!errnum)
		*ret = mark;
	return errnum;
}
