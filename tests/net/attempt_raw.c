/* attempt_raw.c: raw sockets, and packet sockets, which lie below netfilter. */
#include "attempt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_PORT = 7500 };

static struct outcome sent_or(ssize_t result)
{
	if (result < 0)
		return (struct outcome){ RESULT_REFUSED, errno };
	usleep(ANSWER_MS * 1000);
	return (struct outcome){ RESULT_SENT, 0 };
}

static size_t write_datagram(unsigned char *bytes, uint16_t port)
{
	const struct udphdr header = { .source = htons(SOURCE_PORT), .dest = port,
				       .len = htons(sizeof(header) + sizeof(PAYLOAD) - 1) };

	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), PAYLOAD, sizeof(PAYLOAD) - 1);
	return sizeof(header) + sizeof(PAYLOAD) - 1;
}

static uint16_t checksum(const void *bytes, size_t length)
{
	const uint8_t *byte = bytes;
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < length; i += 2)
		sum += (uint32_t)byte[i] << 8 | byte[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

/* A whole IP packet. The datagram's checksum is nobody's concern here. */
static size_t write_packet(unsigned char *bytes, const struct target *target)
{
	const struct sockaddr_in *four = (const void *)&target->address;
	const struct sockaddr_in6 *six = (const void *)&target->address;
	struct iphdr header4 = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP };
	struct ip6_hdr header6 = { .ip6_vfc = 0x60, .ip6_nxt = IPPROTO_UDP, .ip6_hlim = 64 };
	size_t length;

	if (target_family(target) == AF_INET) {
		length = write_datagram(bytes + sizeof(header4), four->sin_port) + sizeof(header4);
		inet_pton(AF_INET, "192.0.2.2", &header4.saddr);
		header4.daddr = four->sin_addr.s_addr;
		header4.tot_len = htons((uint16_t)length);
		header4.check = checksum(&header4, sizeof(header4));
		memcpy(bytes, &header4, sizeof(header4));
		return length;
	}
	length = write_datagram(bytes + sizeof(header6), six->sin6_port);
	inet_pton(AF_INET6, "2001:db8::2", &header6.ip6_src);
	header6.ip6_dst = six->sin6_addr;
	header6.ip6_plen = htons((uint16_t)length);
	memcpy(bytes, &header6, sizeof(header6));
	return length + sizeof(header6);
}

/* To everybody on the link: the far side looks at what it is addressed to above that. */
size_t write_frame(unsigned char frame[1514], const struct target *target)
{
	uint16_t type = htons(target_family(target) == AF_INET ? ETH_P_IP : ETH_P_IPV6);

	memset(frame, 0xff, ETH_ALEN);
	memset(frame + ETH_ALEN, 0x02, ETH_ALEN);
	memcpy(frame + 2 * ETH_ALEN, &type, sizeof(type));
	return ETH_HLEN + write_packet(frame + ETH_HLEN, target);
}

struct outcome act_raw_header(int descriptor, const struct target *target)
{
	unsigned char bytes[1500];
	struct target host = *target;

	/* A raw socket of IPv6 takes a port for a protocol. */
	if (target_family(target) == AF_INET6)
		((struct sockaddr_in6 *)&host.address)->sin6_port = 0;
	return sent_or(sendto(descriptor, bytes, write_packet(bytes, target), 0,
			      (const struct sockaddr *)&host.address, host.size));
}

struct outcome act_raw(int descriptor, const struct target *target)
{
	struct target host = *target;

	if (target_family(target) == AF_INET6)
		((struct sockaddr_in6 *)&host.address)->sin6_port = 0;
	return sent_or(sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, 0,
			      (const struct sockaddr *)&host.address, host.size));
}

/* Past the queueing discipline as well. */
bool prepare_packet_bypass(int descriptor, const struct target *target)
{
	int one = 1;

	(void)target;
	return setsockopt(descriptor, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) == 0;
}

struct outcome act_packet(int descriptor, const struct target *target)
{
	const struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_halen = ETH_ALEN,
					.sll_ifindex = (int)if_nametoindex(DEVICE) };
	unsigned char frame[1514];

	return sent_or(sendto(descriptor, frame, write_frame(frame, target), 0,
			      (const struct sockaddr *)&to, sizeof(to)));
}
