/* attempt.c: tries exactly one way to send something, as one uid, and prints what came of it. */
#include "attempt.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * attempt --uid UID NAME ADDRESS:PORT     (an IPv6 address in brackets)
 * attempt --list
 *
 * Prints one line `WORD MICROSECONDS`: connected, answered, sent, timeout, the name of an errno,
 * `option:ERRNO` or `no-kernel`. The exit status is 0 for the first two, 1 for all others, 2 for misuse.
 */

static const struct attempt attempts[] = {
	{ "tcp", SOCK_STREAM, IPPROTO_TCP, NULL, act_connect },
	{ "tcp-nonblocking", SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP, NULL, act_connect },
	{ "tcp-fastopen", SOCK_STREAM, IPPROTO_TCP, NULL, act_fastopen },
	{ "tcp-fastopen-connect", SOCK_STREAM, IPPROTO_TCP, prepare_fastopen_connect, act_fastopen_connect },
	{ "tcp-bind-device", SOCK_STREAM, IPPROTO_TCP, prepare_bind_device, act_connect },
	{ "tcp-bind-loopback", SOCK_STREAM, IPPROTO_TCP, prepare_bind_loopback, act_connect },
	{ "tcp-mark", SOCK_STREAM, IPPROTO_TCP, prepare_mark, act_connect },
	{ "tcp-freebind", SOCK_STREAM, IPPROTO_TCP, prepare_freebind, act_connect },
	{ "tcp-source-route", SOCK_STREAM, IPPROTO_TCP, prepare_source_route, act_connect },
	{ "tcp-upload", SOCK_STREAM, IPPROTO_TCP, NULL, act_upload },
	{ "mptcp", SOCK_STREAM, IPPROTO_MPTCP, NULL, act_connect },
	{ "sctp", SOCK_STREAM, IPPROTO_SCTP, NULL, act_connect },
	{ "sctp-many", SOCK_SEQPACKET, IPPROTO_SCTP, NULL, act_send },
	{ "dccp", SOCK_DCCP, IPPROTO_DCCP, NULL, act_connect },
	{ "udp", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send },
	{ "udp-connected", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_connected },
	{ "udp-corked", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_corked },
	{ "udp-fragments", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_large },
	{ "udp-segments", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_segmented },
	{ "udp-bind-device", SOCK_DGRAM, IPPROTO_UDP, prepare_bind_device, act_send },
	{ "udp-bind-loopback", SOCK_DGRAM, IPPROTO_UDP, prepare_bind_loopback, act_send },
	{ "udp-pktinfo", SOCK_DGRAM, IPPROTO_UDP, NULL, act_send_by_interface },
	{ "udp-unicast-if", SOCK_DGRAM, IPPROTO_UDP, prepare_unicast_if, act_send },
	{ "udp-mark", SOCK_DGRAM, IPPROTO_UDP, prepare_mark, act_send },
	{ "udp-freebind", SOCK_DGRAM, IPPROTO_UDP, prepare_freebind, act_send },
	{ "udp-multicast", SOCK_DGRAM, IPPROTO_UDP, prepare_multicast, act_send },
	{ "udp-broadcast", SOCK_DGRAM, IPPROTO_UDP, prepare_broadcast, act_send },
	{ "udp-source-route", SOCK_DGRAM, IPPROTO_UDP, prepare_source_route, act_send },
	{ "udp-hop-options", SOCK_DGRAM, IPPROTO_UDP, prepare_hop_options, act_send },
	{ "udp-destination-options", SOCK_DGRAM, IPPROTO_UDP, prepare_destination_options, act_send },
	{ "udplite", SOCK_DGRAM, IPPROTO_UDPLITE, NULL, act_send },
	{ "ping", SOCK_DGRAM, 0, NULL, act_ping },
	{ "join", SOCK_DGRAM, IPPROTO_UDP, prepare_join, act_nothing },
};
enum { ATTEMPTS = sizeof(attempts) / sizeof(*attempts) };

int target_family(const struct target *target)
{
	return target->address.ss_family;
}

static bool read_target(char *text, struct target *ret)
{
	char *colon = strrchr(text, ':');
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	uint16_t port;

	if (!colon)
		return false;
	*colon = '\0';
	port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
	*ret = (struct target){ 0 };
	if (*text == '[' && colon > text && colon[-1] == ']') {
		colon[-1] = '\0';
		six.sin6_port = port;
		if (inet_pton(AF_INET6, text + 1, &six.sin6_addr) != 1)
			return false;
		memcpy(&ret->address, &six, sizeof(six));
		ret->size = sizeof(six);
		return true;
	}
	four.sin_port = port;
	if (inet_pton(AF_INET, text, &four.sin_addr) != 1)
		return false;
	memcpy(&ret->address, &four, sizeof(four));
	ret->size = sizeof(four);
	return true;
}

/* The socket is opened after this: the firewall looks at who opened it. */
static void become(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		err(2, "become uid %u", uid);
}

static bool has_no_kernel_support(int errnum)
{
	return errnum == EPROTONOSUPPORT || errnum == ESOCKTNOSUPPORT || errnum == EAFNOSUPPORT ||
	       errnum == EINVAL;
}

static struct outcome run(const struct attempt *attempt, const struct target *target)
{
	int family = target_family(target), protocol = attempt->protocol, descriptor;
	struct outcome outcome = { .result = RESULT_OPTION };

	if (!protocol)
		protocol = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	descriptor = socket(family, attempt->type | SOCK_CLOEXEC, protocol);
	if (descriptor < 0) {
		outcome.errnum = errno;
		outcome.result = has_no_kernel_support(errno) ? RESULT_NO_KERNEL : RESULT_REFUSED;
		return outcome;
	}
	if (attempt->prepare && !attempt->prepare(descriptor, target))
		outcome.errnum = errno;
	else
		outcome = attempt->act(descriptor, target);
	close(descriptor);
	return outcome;
}

static void print(struct outcome outcome, long microseconds)
{
	const char *name = outcome.errnum ? strerrorname_np(outcome.errnum) : NULL;

	switch (outcome.result) {
	case RESULT_CONNECTED:
		printf("connected");
		break;
	case RESULT_ANSWERED:
		printf("answered");
		break;
	case RESULT_SENT:
		printf("sent");
		break;
	case RESULT_TIMEOUT:
		printf("timeout");
		break;
	case RESULT_REFUSED:
		printf("%s", name ? name : "unknown");
		break;
	case RESULT_OPTION:
		printf("option:%s", name ? name : "unknown");
		break;
	case RESULT_NO_KERNEL:
		printf("no-kernel");
		break;
	}
	printf(" %ld\n", microseconds);
}

int main(int argc, char **argv)
{
	struct timespec begin, end;
	struct outcome outcome;
	struct target target;
	int index = 0;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (int i = 0; i < ATTEMPTS; i++)
			puts(attempts[i].name);
		return 0;
	}
	if (argc != 5 || strcmp(argv[1], "--uid") != 0 || !read_target(argv[4], &target))
		errx(2, "usage: attempt --uid UID NAME ADDRESS:PORT");
	while (index < ATTEMPTS && strcmp(attempts[index].name, argv[3]) != 0)
		index++;
	if (index == ATTEMPTS)
		errx(2, "%s: no such attempt", argv[3]);
	signal(SIGPIPE, SIG_IGN);
	become((uid_t)strtoul(argv[2], NULL, 10));
	clock_gettime(CLOCK_MONOTONIC, &begin);
	outcome = run(&attempts[index], &target);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print(outcome, (end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000);
	return outcome.result == RESULT_CONNECTED || outcome.result == RESULT_ANSWERED ? 0 : 1;
}
