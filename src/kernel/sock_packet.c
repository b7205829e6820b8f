/* sock_packet.c: the packet that a socket would send. */
#include "kernel/sock_packet.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

enum { TCP_ACK_FLAG = 0x10 };

static struct address read_address(const struct inet_diag_msg *socket, const __be32 words[4])
{
	static const uint8_t mapped[12] = { [10] = 0xff, 0xff };
	struct address address = { .family = FAMILY_IPV6 };

	if (socket->idiag_family == AF_INET) {
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

struct packet sock_packet(uint8_t protocol, const struct inet_diag_msg *socket)
{
	struct packet packet = {
		.owned = true,
		.uid = socket->idiag_uid,
		.source = read_address(socket, socket->id.idiag_src),
		.destination = read_address(socket, socket->id.idiag_dst),
		.protocol = protocol,
		.source_port = ntohs(socket->id.idiag_sport),
		.destination_port = ntohs(socket->id.idiag_dport),
		/* Whatever nat makes of it behind the socket's back. */
		.original_port = ntohs(socket->id.idiag_dport),
		.tcp_flags = protocol == IPPROTO_TCP ? TCP_ACK_FLAG : 0,
		.tracked = true,
	};

	packet.destination_local = is_loopback(&packet.destination) ||
				   !address_compare(&packet.source, &packet.destination);
	packet.out_loopback = packet.destination_local;
	packet.source_local = !packet.destination_local || is_loopback(&packet.source) ||
			      !address_compare(&packet.source, &packet.destination);
	return packet;
}
