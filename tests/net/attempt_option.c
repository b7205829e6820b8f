/* attempt_option.c: socket options that change the road of a packet. */
#include "attempt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/seg6.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <string.h>

static bool set(int descriptor, int level, int name, const void *value, socklen_t size)
{
	return setsockopt(descriptor, level, name, value, size) == 0;
}

static bool is_ipv4(const struct target *target)
{
	return target_family(target) == AF_INET;
}

bool prepare_fastopen_connect(int descriptor, const struct target *target)
{
	int one = 1;

	(void)target;
	return set(descriptor, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &one, sizeof(one));
}

bool prepare_bind_device(int descriptor, const struct target *target)
{
	(void)target;
	return set(descriptor, SOL_SOCKET, SO_BINDTODEVICE, DEVICE, sizeof(DEVICE));
}

bool prepare_bind_loopback(int descriptor, const struct target *target)
{
	(void)target;
	return set(descriptor, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof("lo"));
}

bool prepare_unicast_if(int descriptor, const struct target *target)
{
	uint32_t index = htonl(if_nametoindex(DEVICE));

	if (is_ipv4(target))
		return set(descriptor, IPPROTO_IP, IP_UNICAST_IF, &index, sizeof(index));
	return set(descriptor, IPPROTO_IPV6, IPV6_UNICAST_IF, &index, sizeof(index));
}

bool prepare_mark(int descriptor, const struct target *target)
{
	/* The very bit by which the ruleset knows connections of unconfined sockets. */
	uint32_t mark = 0x40000000;

	(void)target;
	return set(descriptor, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
}

/* A source address that nobody has here. */
bool prepare_freebind(int descriptor, const struct target *target)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	int one = 1;

	if (is_ipv4(target)) {
		inet_pton(AF_INET, "192.0.2.77", &four.sin_addr);
		return set(descriptor, IPPROTO_IP, IP_FREEBIND, &one, sizeof(one)) &&
		       bind(descriptor, (struct sockaddr *)&four, sizeof(four)) == 0;
	}
	inet_pton(AF_INET6, "2001:db8::77", &six.sin6_addr);
	return set(descriptor, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one)) &&
	       bind(descriptor, (struct sockaddr *)&six, sizeof(six)) == 0;
}

bool prepare_multicast(int descriptor, const struct target *target)
{
	struct ip_mreqn four = { .imr_ifindex = (int)if_nametoindex(DEVICE) };
	unsigned six = if_nametoindex(DEVICE);

	if (is_ipv4(target))
		return set(descriptor, IPPROTO_IP, IP_MULTICAST_IF, &four, sizeof(four));
	return set(descriptor, IPPROTO_IPV6, IPV6_MULTICAST_IF, &six, sizeof(six));
}

bool prepare_broadcast(int descriptor, const struct target *target)
{
	int one = 1;

	(void)target;
	return set(descriptor, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one));
}

/* By way of the router: LSRR (RFC 791), or a segment routing header (RFC 8754). */
bool prepare_source_route(int descriptor, const struct target *target)
{
	uint8_t options[8] = { 1 /* no-op */, 0x83 /* loose source route */, 7, 4 };
	struct {
		struct ipv6_sr_hdr header;
		struct in6_addr segments[2];
	} route = { .header = { .hdrlen = 4, .type = 4 /* segments */, .segments_left = 1, .first_segment = 1 } };

	if (is_ipv4(target)) {
		inet_pton(AF_INET, "192.0.2.1", options + 4);
		return set(descriptor, IPPROTO_IP, IP_OPTIONS, options, sizeof(options));
	}
	inet_pton(AF_INET6, "2001:db8::1", &route.segments[1]);
	return set(descriptor, IPPROTO_IPV6, IPV6_RTHDR, &route, sizeof(route));
}

/* An extension header with nothing but padding. */
static bool set_padding(int descriptor, int option)
{
	uint8_t header[8] = { 0, 0, 1 /* PadN */, 4 };

	return set(descriptor, IPPROTO_IPV6, option, header, sizeof(header));
}

bool prepare_hop_options(int descriptor, const struct target *target)
{
	(void)target;
	return set_padding(descriptor, IPV6_HOPOPTS);
}

bool prepare_destination_options(int descriptor, const struct target *target)
{
	(void)target;
	return set_padding(descriptor, IPV6_DSTOPTS);
}

bool prepare_join(int descriptor, const struct target *target)
{
	struct ip_mreqn four = { .imr_ifindex = (int)if_nametoindex(DEVICE) };
	struct ipv6_mreq six = { .ipv6mr_interface = if_nametoindex(DEVICE) };

	if (is_ipv4(target)) {
		four.imr_multiaddr = ((const struct sockaddr_in *)&target->address)->sin_addr;
		return set(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, &four, sizeof(four));
	}
	six.ipv6mr_multiaddr = ((const struct sockaddr_in6 *)&target->address)->sin6_addr;
	return set(descriptor, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &six, sizeof(six));
}
