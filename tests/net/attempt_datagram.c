/* attempt_datagram.c: attempts over datagrams. */
#include "attempt.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGE = 20000, FLOOD_SECONDS = 3 };

static struct outcome refused(void)
{
	return (struct outcome){ .result = RESULT_REFUSED, .errnum = errno };
}

/* What was sent may be answered, or reported as refused by the far side. */
static struct outcome await_answer(int descriptor)
{
	struct pollfd poll_for = { .fd = descriptor, .events = POLLIN };
	char bytes[1 << 16];

	if (poll(&poll_for, 1, ANSWER_MS) > 0 && recv(descriptor, bytes, sizeof(bytes), 0) > 0)
		return (struct outcome){ .result = RESULT_ANSWERED };
	return (struct outcome){ .result = RESULT_SENT };
}

static struct outcome send_bytes(int descriptor, const struct target *target, const void *bytes, size_t length)
{
	if (sendto(descriptor, bytes, length, 0, (const struct sockaddr *)&target->address, target->size) < 0)
		return refused();
	return await_answer(descriptor);
}

struct outcome act_send(int descriptor, const struct target *target)
{
	return send_bytes(descriptor, target, PAYLOAD, sizeof(PAYLOAD) - 1);
}

struct outcome act_send_connected(int descriptor, const struct target *target)
{
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size) ||
	    send(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, 0) < 0)
		return refused();
	return await_answer(descriptor);
}

struct outcome act_send_large(int descriptor, const struct target *target)
{
	static const char bytes[LARGE];

	return send_bytes(descriptor, target, bytes, sizeof(bytes));
}

struct outcome act_send_corked(int descriptor, const struct target *target)
{
	static const char bytes[LARGE / 2];
	int one = 1, zero = 0;

	if (setsockopt(descriptor, IPPROTO_UDP, UDP_CORK, &one, sizeof(one)) ||
	    connect(descriptor, (const struct sockaddr *)&target->address, target->size) ||
	    send(descriptor, bytes, sizeof(bytes), 0) < 0 || send(descriptor, bytes, sizeof(bytes), 0) < 0 ||
	    setsockopt(descriptor, IPPROTO_UDP, UDP_CORK, &zero, sizeof(zero)))
		return refused();
	return await_answer(descriptor);
}

struct outcome act_send_segmented(int descriptor, const struct target *target)
{
	static const char bytes[6000];
	int segment = 1000;

	if (setsockopt(descriptor, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		return (struct outcome){ .result = RESULT_OPTION, .errnum = errno };
	return send_bytes(descriptor, target, bytes, sizeof(bytes));
}

/* The interface is named with the message itself (IP_PKTINFO, IPV6_PKTINFO). */
struct outcome act_send_by_interface(int descriptor, const struct target *target)
{
	struct in_pktinfo four = { .ipi_ifindex = (int)if_nametoindex(DEVICE) };
	struct in6_pktinfo six = { .ipi6_ifindex = if_nametoindex(DEVICE) };
	bool ipv4 = target_family(target) == AF_INET;
	struct iovec vector = { .iov_base = (char[]){ PAYLOAD }, .iov_len = sizeof(PAYLOAD) - 1 };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(six))] = { 0 };
	struct msghdr message = { .msg_name = (void *)&target->address, .msg_namelen = target->size,
				  .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control,
				  .msg_controllen = ipv4 ? CMSG_SPACE(sizeof(four)) : sizeof(control) };
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = ipv4 ? IPPROTO_IP : IPPROTO_IPV6;
	part->cmsg_type = ipv4 ? IP_PKTINFO : IPV6_PKTINFO;
	part->cmsg_len = ipv4 ? CMSG_LEN(sizeof(four)) : CMSG_LEN(sizeof(six));
	memcpy(CMSG_DATA(part), ipv4 ? (void *)&four : (void *)&six, ipv4 ? sizeof(four) : sizeof(six));
	if (sendmsg(descriptor, &message, 0) < 0)
		return refused();
	return await_answer(descriptor);
}

/* As fast as it goes, whatever each call says. */
struct outcome act_flood(int descriptor, const struct target *target)
{
	struct timespec now, begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 64; i++)
			sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, MSG_DONTWAIT,
			       (const struct sockaddr *)&target->address, target->size);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < FLOOD_SECONDS);
	return (struct outcome){ .result = RESULT_SENT };
}

struct outcome act_ping(int descriptor, const struct target *target)
{
	struct icmphdr four = { .type = ICMP_ECHO };
	struct icmp6_hdr six = { .icmp6_type = ICMP6_ECHO_REQUEST };

	if (target_family(target) == AF_INET)
		return send_bytes(descriptor, target, &four, sizeof(four));
	return send_bytes(descriptor, target, &six, sizeof(six));
}

/* The option alone has made the kernel send something, after a random delay of up to a second or so. */
struct outcome act_nothing(int descriptor, const struct target *target)
{
	(void)descriptor;
	(void)target;
	usleep(400 * 1000);
	return (struct outcome){ .result = RESULT_SENT };
}
