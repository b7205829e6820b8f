/* wire.c: every packet that comes in by one interface, as one line each. */
#include "wire.h"

#include <arpa/inet.h>
#include <err.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int wire_open(const char *interface)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(interface),
	};
	int descriptor = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int bytes = 32 << 20;

	if (descriptor < 0)
		err(2, "packet socket");
	if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		err(2, "packet socket: SO_RCVBUFFORCE");
	if (!address.sll_ifindex || bind(descriptor, (struct sockaddr *)&address, sizeof(address)))
		err(2, "packet socket: %s", interface);
	return descriptor;
}

void wire_mark(const char *interface, unsigned number)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(WIRE_MARK_ETHERTYPE),
		.sll_ifindex = (int)if_nametoindex(interface),
		.sll_halen = ETH_ALEN,
		.sll_addr = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	uint32_t payload[12] = { htonl(number) };
	int descriptor = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (descriptor < 0 || sendto(descriptor, payload, sizeof(payload), 0, (struct sockaddr *)&address,
				     sizeof(address)) != sizeof(payload))
		err(2, "mark on %s", interface);
	close(descriptor);
}

static void tcp_flags(const uint8_t *segment, char text[8])
{
	static const char letters[] = "FSRPAU";
	char *end = text;

	for (int bit = 0; bit < 6; bit++)
		if (segment[13] & (1 << bit))
			*end++ = letters[bit];
	*end = '\0';
	if (end == text)
		strcpy(text, "-");
}

/* What the transport header says; `left` bytes of it were captured. */
static void print_transport(FILE *log, int protocol, const uint8_t *bytes, size_t left, const char *source,
			    const char *destination, size_t length)
{
	static const struct {
		int protocol;
		const char *name;
		bool ports;
	} names[] = {
		{ IPPROTO_TCP, "tcp", true },      { IPPROTO_UDP, "udp", true },
		{ IPPROTO_UDPLITE, "udplite", true }, { IPPROTO_SCTP, "sctp", true },
		{ IPPROTO_DCCP, "dccp", true },    { IPPROTO_ICMP, "icmp", false },
		{ IPPROTO_ICMPV6, "icmpv6", false }, { IPPROTO_IGMP, "igmp", false },
	};
	char number[12], flags[12] = "-";
	const char *name = NULL;
	unsigned source_port = 0, destination_port = 0;
	size_t header = left;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].protocol != protocol)
			continue;
		name = names[i].name;
		if (names[i].ports && left >= 4) {
			source_port = (unsigned)bytes[0] << 8 | bytes[1];
			destination_port = (unsigned)bytes[2] << 8 | bytes[3];
		}
	}
	if (!name) {
		snprintf(number, sizeof(number), "%d", protocol);
		name = number;
	}
	if (protocol == IPPROTO_TCP && left >= 14) {
		tcp_flags(bytes, flags);
		header = (bytes[12] >> 4) * 4u;
	} else if (protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE) {
		header = sizeof(struct udphdr);
	} else if ((protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6) && left >= 1) {
		snprintf(flags, sizeof(flags), "type=%u", bytes[0]);
	}
	fprintf(log, "packet %s %s %u %s %u %s %zu %zu\n", name, source, source_port, destination,
		destination_port, flags, length, header < left ? left - header : 0);
}

static void print_ipv4(FILE *log, const uint8_t *bytes, size_t length)
{
	const struct iphdr *header = (const void *)bytes;
	char source[INET_ADDRSTRLEN], destination[INET_ADDRSTRLEN];
	size_t size;

	if (length < sizeof(*header) || (size = header->ihl * 4u) > length)
		return;
	inet_ntop(AF_INET, &header->saddr, source, sizeof(source));
	inet_ntop(AF_INET, &header->daddr, destination, sizeof(destination));
	if (ntohs(header->frag_off) & IP_OFFMASK)
		fprintf(log, "packet fragment %s 0 %s 0 - %zu 0\n", source, destination, length);
	else
		print_transport(log, header->protocol, bytes + size, length - size, source, destination, length);
}

static void print_ipv6(FILE *log, const uint8_t *bytes, size_t length)
{
	const struct ip6_hdr *header = (const void *)bytes;
	char source[INET6_ADDRSTRLEN], destination[INET6_ADDRSTRLEN];
	size_t position = sizeof(*header);
	uint8_t next;

	if (length < sizeof(*header))
		return;
	inet_ntop(AF_INET6, &header->ip6_src, source, sizeof(source));
	inet_ntop(AF_INET6, &header->ip6_dst, destination, sizeof(destination));
	next = header->ip6_nxt;
	while (next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING || next == IPPROTO_DSTOPTS ||
	       next == IPPROTO_FRAGMENT) {
		const uint8_t *extension = bytes + position;

		if (position + 8 > length)
			return;
		if (next == IPPROTO_FRAGMENT && (extension[2] || extension[3] & 0xf8)) {
			fprintf(log, "packet fragment %s 0 %s 0 - %zu 0\n", source, destination, length);
			return;
		}
		position += next == IPPROTO_FRAGMENT ? 8 : (extension[1] + 1u) * 8;
		next = extension[0];
	}
	if (position <= length)
		print_transport(log, next, bytes + position, length - position, source, destination, length);
}

void wire_read(int descriptor, FILE *log)
{
	static uint8_t frame[65536] __attribute__((aligned(8)));
	struct sockaddr_ll from;
	socklen_t from_size = sizeof(from);
	ssize_t length = recvfrom(descriptor, frame, sizeof(frame), 0, (struct sockaddr *)&from, &from_size);
	uint32_t number;

	if (length < 0 || from.sll_pkttype == PACKET_OUTGOING)
		return;
	switch (ntohs(from.sll_protocol)) {
	case ETH_P_IP:
		print_ipv4(log, frame, (size_t)length);
		break;
	case ETH_P_IPV6:
		print_ipv6(log, frame, (size_t)length);
		break;
	case WIRE_MARK_ETHERTYPE:
		memcpy(&number, frame, sizeof(number));
		fprintf(log, "mark %u\n", ntohl(number));
		break;
	default:
		fprintf(log, "other %04x\n", ntohs(from.sll_protocol));
	}
	fflush(log);
}
