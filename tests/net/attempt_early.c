/* attempt_early.c: sockets that a user had before the lock, and what is done with them after it. */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	UNSENT = 360000,
	SEND_BUFFER = 400000, /* there is room for more when the far side stalls */
	RETRANSMISSIONS_MS = 1200, /* the first comes after 200 to 400 ms, the second doubles that */
};

void await_word(void)
{
	char line[8];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		_exit(2);
}

static struct outcome sent_or(ssize_t result)
{
	if (result < 0)
		return (struct outcome){ RESULT_REFUSED, errno };
	return (struct outcome){ RESULT_SENT, 0 };
}

/*
 * Connects, has the connection used once, and waits for the lock. What came is read: else close(2) would
 * be a reset, and nothing would be sent after it.
 */
static bool begin(int descriptor, const struct target *target, struct outcome *ret)
{
	char bytes[sizeof(PAYLOAD)];

	*ret = act_connect(descriptor, target);
	if (ret->result != RESULT_CONNECTED)
		return false;
	await_word();
	recv(descriptor, bytes, sizeof(bytes), MSG_DONTWAIT);
	return true;
}

/* The file stays open while the data is sent again; a reset at the end lets nothing follow. */
struct outcome act_early_send(int descriptor, const struct target *target)
{
	const struct linger at_once = { .l_onoff = 1 };
	struct outcome outcome;

	if (!begin(descriptor, target, &outcome))
		return outcome;
	outcome = sent_or(write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1));
	usleep(RETRANSMISSIONS_MS * 1000);
	setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	return outcome;
}

/* MPTCP finds another road for what the first one does not take; what is sent at last has no owner. */
struct outcome act_early_subflows(int descriptor, const struct target *target)
{
	struct outcome outcome;

	if (!begin(descriptor, target, &outcome))
		return outcome;
	outcome = sent_or(write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1));
	usleep(RETRANSMISSIONS_MS * 1000);
	if (outcome.result != RESULT_SENT)
		return outcome;
	return sent_or(write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1));
}

/* As much as goes behind a window that the far side does not open. */
static bool fill(int descriptor, const struct target *target, struct outcome *ret)
{
	static const char bytes[4096];
	int size = SEND_BUFFER;
	size_t written = 0;

	setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	*ret = act_connect(descriptor, target);
	if (ret->result != RESULT_CONNECTED)
		return false;
	fcntl(descriptor, F_SETFL, O_NONBLOCK);
	while (written < UNSENT) {
		ssize_t length = write(descriptor, bytes, sizeof(bytes));

		if (length < 0 && errno != EAGAIN) {
			*ret = sent_or(-1);
			return false;
		}
		if (length < 0)
			break;
		written += (size_t)length;
	}
	return true;
}

/* What is sent once the file is closed has no owner. */
struct outcome act_early_close(int descriptor, const struct target *target)
{
	struct outcome outcome;

	if (!fill(descriptor, target, &outcome))
		return outcome;
	await_word();
	return sent_or(write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1));
}

struct outcome act_early_kill(int descriptor, const struct target *target)
{
	struct outcome outcome;

	if (!fill(descriptor, target, &outcome))
		return outcome;
	await_word();
	if (write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
		return sent_or(-1);
	raise(SIGKILL);
	return outcome;
}

/* Closed before the lock; nothing is done after it. */
struct outcome act_early_unsent(int descriptor, const struct target *target)
{
	struct outcome outcome;
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (!fill(descriptor, target, &outcome))
		return outcome;
	if (nothing < 0 || dup2(nothing, descriptor) < 0)
		return sent_or(-1);
	close(nothing);
	await_word();
	return (struct outcome){ RESULT_SENT, 0 };
}

/* close(2) waits after the lock, and goes before the window opens. */
struct outcome act_early_linger(int descriptor, const struct target *target)
{
	const struct linger patient = { .l_onoff = 1, .l_linger = 1 };
	struct outcome outcome;

	if (!fill(descriptor, target, &outcome))
		return outcome;
	fcntl(descriptor, F_SETFL, 0);
	setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &patient, sizeof(patient));
	await_word();
	return (struct outcome){ RESULT_SENT, 0 };
}

/* Over before the lock, in good order, so that this side waits in TIME-WAIT and answers by itself. */
struct outcome act_early_timewait(int descriptor, const struct target *target)
{
	struct outcome outcome = act_connect(descriptor, target);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char bytes[64];

	if (outcome.result != RESULT_CONNECTED)
		return outcome;
	shutdown(descriptor, SHUT_WR);
	while (recv(descriptor, bytes, sizeof(bytes), 0) > 0)
		;
	if (nothing < 0 || dup2(nothing, descriptor) < 0)
		return sent_or(-1);
	close(nothing);
	await_word();
	return (struct outcome){ RESULT_SENT, 0 };
}

struct outcome act_early_datagram(int descriptor, const struct target *target)
{
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size) ||
	    send(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, 0) < 0)
		return sent_or(-1);
	await_word();
	return sent_or(send(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, 0));
}

/* A connection that the far side has not answered yet. */
struct outcome act_early_connecting(int descriptor, const struct target *target)
{
	connect(descriptor, (const struct sockaddr *)&target->address, target->size);
	await_word();
	return sent_or(write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1));
}
