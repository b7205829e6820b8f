/* attempt_inbound.c: what leaves because somebody outside began: the user's servers, and a meeting half-way. */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum {
	ACCEPT_MS = 1500,
	MEETING_MS = 800, /* the other side's SYN comes in that time */
	MEETING_PORT = 7301,
	PUBLISHED_PORT = 7303, /* by the policy of escapes.sh */
};

static bool bind_to(int descriptor, const struct target *target)
{
	int one = 1;

	return !setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	       !bind(descriptor, (const struct sockaddr *)&target->address, target->size);
}

bool prepare_listen(int descriptor, const struct target *target)
{
	return bind_to(descriptor, target) && !listen(descriptor, 8);
}

bool prepare_listen_fastopen(int descriptor, const struct target *target)
{
	int queue = 8;

	return bind_to(descriptor, target) &&
	       !setsockopt(descriptor, IPPROTO_TCP, TCP_FASTOPEN, &queue, sizeof(queue)) &&
	       !listen(descriptor, 8);
}

/* A port that the far side knows. */
static bool bind_port(int descriptor, const struct target *target, uint16_t port)
{
	struct target own = *target;
	struct sockaddr_in6 *six = (void *)&own.address;
	struct sockaddr_in *four = (void *)&own.address;

	if (target_family(target) == AF_INET)
		*four = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	else
		*six = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	return bind_to(descriptor, &own);
}

bool prepare_bind_meeting(int descriptor, const struct target *target)
{
	return bind_port(descriptor, target, MEETING_PORT);
}

bool prepare_bind_published(int descriptor, const struct target *target)
{
	return bind_port(descriptor, target, PUBLISHED_PORT);
}

/* The number of the target's port: by it the far side finds a connection that is over. */
bool prepare_bind_same(int descriptor, const struct target *target)
{
	const struct sockaddr_in6 *either = (const void *)&target->address;

	return bind_port(descriptor, target, ntohs(either->sin6_port));
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

/*
 * Accepts, says something and closes: what is sent again then has no owner. What came is read first, else
 * the close would be a reset.
 */
static struct outcome accept_and(int descriptor, bool early)
{
	char bytes[64];
	struct pollfd listening = { .fd = descriptor, .events = POLLIN };
	struct outcome outcome = { RESULT_CONNECTED, 0 };
	int connection;

	if (poll(&listening, 1, early ? -1 : ACCEPT_MS) == 0)
		return (struct outcome){ RESULT_TIMEOUT, 0 };
	connection = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
	if (connection < 0)
		return (struct outcome){ RESULT_REFUSED, errno };
	if (early)
		await_word();
	recv(connection, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (write(connection, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
		outcome = (struct outcome){ RESULT_REFUSED, errno };
	close(connection);
	return outcome;
}

struct outcome act_answer(int descriptor, const struct target *target)
{
	(void)target;
	say_ready();
	return accept_and(descriptor, false);
}

/* The connection is there before the lock, and accepted after it. */
struct outcome act_early_queued(int descriptor, const struct target *target)
{
	(void)target;
	await_word();
	return accept_and(descriptor, false);
}

struct outcome act_early_accepted(int descriptor, const struct target *target)
{
	(void)target;
	return accept_and(descriptor, true);
}

/* The other side has sent something to that port, so that this is no beginning for connection tracking. */
struct outcome act_meet(int descriptor, const struct target *target)
{
	say_ready();
	usleep(MEETING_MS / 2 * 1000);
	return act_connect(descriptor, target);
}

/* Data is queued in a SYN that may not leave; the other side's SYN would make it a connection. */
struct outcome act_simultaneous(int descriptor, const struct target *target)
{
	ssize_t sent;
	int errnum;

	fcntl(descriptor, F_SETFL, O_NONBLOCK);
	sent = sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, MSG_FASTOPEN,
		      (const struct sockaddr *)&target->address, target->size);
	errnum = errno;
	say_ready();
	usleep(MEETING_MS * 1000);
	if (sent < 0 && errnum != EINPROGRESS)
		return (struct outcome){ RESULT_REFUSED, errnum };
	return (struct outcome){ RESULT_SENT, 0 };
}
