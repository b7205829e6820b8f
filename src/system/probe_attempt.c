/* probe_attempt.c: one attempt to reach one target, as whoever this process is. */
#include "system/probe_attempt.h"

#include "system/descriptor.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { DATAGRAM_WAIT_MS = 300 }; /* for an ICMP error that a datagram brings about */

uint64_t probe_now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

short probe_wait(int descriptor, short events, uint64_t deadline_us)
{
	struct pollfd waiting = { .fd = descriptor, .events = events };

	for (;;) {
		uint64_t now = probe_now_us();
		int left_ms = now < deadline_us ? (int)((deadline_us - now + 999) / 1000) : 0;
		int got = poll(&waiting, 1, left_ms);

		if (got > 0)
			return waiting.revents;
		if (got == 0 || errno != EINTR)
			return 0;
	}
}

static socklen_t socket_address(const struct address_port *from, struct sockaddr_storage *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (from->address.family == FAMILY_IPV4) {
		struct sockaddr_in *in = (struct sockaddr_in *)ret;

		in->sin_family = AF_INET;
		in->sin_port = htons(from->port);
		memcpy(&in->sin_addr, from->address.bytes, sizeof(in->sin_addr));
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(from->port);
	memcpy(&in6->sin6_addr, from->address.bytes, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}

static int pending_error(int descriptor)
{
	int errnum = 0;
	socklen_t length = sizeof(errnum);

	return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum, &length) ? errno : errnum;
}

/* The port is chosen before anything is sent, so that the log's record can be told from others. */
static bool bind_port(int descriptor, enum family family, uint16_t *ret_port)
{
	struct address_port any = { .address = { .family = family } };
	struct sockaddr_storage own;
	socklen_t length = socket_address(&any, &own);

	if (bind(descriptor, (struct sockaddr *)&own, length) ||
	    getsockname(descriptor, (struct sockaddr *)&own, &length))
		return false;
	*ret_port = ntohs(family == FAMILY_IPV4 ? ((struct sockaddr_in *)&own)->sin_port
						: ((struct sockaddr_in6 *)&own)->sin6_port);
	return true;
}

static int try_stream(int descriptor, const struct sockaddr_storage *target, socklen_t length,
		      unsigned timeout_ms, struct probe_answer *answer)
{
	uint64_t deadline = probe_now_us() + (uint64_t)timeout_ms * 1000;

	if (!connect(descriptor, (const struct sockaddr *)target, length)) {
		answer->answered = true;
		return 0;
	}
	if (errno != EINPROGRESS && errno != EINTR)
		return errno;
	if (!probe_wait(descriptor, POLLOUT, deadline)) {
		answer->timed_out = true;
		return ETIMEDOUT;
	}
	answer->answered = true;
	return pending_error(descriptor);
}

static int try_datagram(int descriptor, const struct sockaddr_storage *target, socklen_t length,
			unsigned timeout_ms, struct probe_answer *answer)
{
	/* A DNS header that asks nothing: valid wherever port 53 is listening. */
	static const uint8_t query[12] = { 0x65, 0x67, 0x01, 0x00 };
	unsigned wait_ms = timeout_ms < DATAGRAM_WAIT_MS ? timeout_ms : DATAGRAM_WAIT_MS;

	if (connect(descriptor, (const struct sockaddr *)target, length) ||
	    send(descriptor, query, sizeof(query), MSG_NOSIGNAL) < 0)
		return errno;
	answer->sent = true;
	if (!probe_wait(descriptor, POLLIN, probe_now_us() + (uint64_t)wait_ms * 1000))
		return 0;
	answer->answered = true;
	return pending_error(descriptor);
}

struct probe_answer probe_attempt(const struct probe *probe, unsigned timeout_ms)
{
	bool stream = probe->protocol == PROBE_TCP;
	struct probe_answer answer = { 0 };
	struct sockaddr_storage address;
	socklen_t length = socket_address(&probe->target, &address);
	uint64_t start = probe_now_us();
	autoclose int descriptor =
		socket(address.ss_family,
		       (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (descriptor < 0 ||
	    !bind_port(descriptor, probe->target.address.family, &answer.source_port))
		answer.errnum = errno;
	else if (stream)
		answer.errnum = try_stream(descriptor, &address, length, timeout_ms, &answer);
	else
		answer.errnum = try_datagram(descriptor, &address, length, timeout_ms, &answer);
	answer.elapsed_us = probe_now_us() - start;
	return answer;
}
