/* attempt_stream.c: attempts over connections. */
#include "attempt.h"

#include <errno.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

int connect_ms = 1500;

static struct outcome refused(int errnum)
{
	return (struct outcome){ .result = RESULT_REFUSED, .errnum = errnum };
}

/* Waits for a connection that is under way. */
static struct outcome await(int descriptor)
{
	struct pollfd poll_for = { .fd = descriptor, .events = POLLOUT };
	int errnum = 0;
	socklen_t size = sizeof(errnum);

	if (poll(&poll_for, 1, connect_ms) == 0)
		return (struct outcome){ .result = RESULT_TIMEOUT };
	getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum, &size);
	return errnum ? refused(errnum) : (struct outcome){ .result = RESULT_CONNECTED };
}

static void wake_up(int signal)
{
	(void)signal;
}

/* A call that connects fails with EINTR after that time; 0: no more. Not every kernel looks at SO_SNDTIMEO there. */
static void bound_time(int milliseconds)
{
	const struct itimerval later = {
		.it_value = { .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000 }
	};
	/* Without SA_RESTART. */
	const struct sigaction action = { .sa_handler = wake_up };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &later, NULL);
}

/* What errno says of a call that connects. */
static struct outcome failed(int descriptor)
{
	int errnum = errno;

	bound_time(0);
	if (errnum == EINTR)
		return (struct outcome){ .result = RESULT_TIMEOUT };
	return errnum == EINPROGRESS || errnum == EAGAIN ? await(descriptor) : refused(errnum);
}

struct outcome act_connect(int descriptor, const struct target *target)
{
	bound_time(connect_ms);
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size))
		return failed(descriptor);
	bound_time(0);
	/* Something has to be sent for the other side to see who it was. */
	if (write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
		return refused(errno);
	return (struct outcome){ .result = RESULT_CONNECTED };
}

/* The data is in the SYN, if the kernel lets it go without a cookie. */
struct outcome act_fastopen(int descriptor, const struct target *target)
{
	bound_time(connect_ms);
	if (sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, MSG_FASTOPEN,
		   (const struct sockaddr *)&target->address, target->size) < 0)
		return failed(descriptor);
	bound_time(0);
	return await(descriptor);
}

/* connect(2) succeeds at once here; it is the write that sends. */
struct outcome act_fastopen_connect(int descriptor, const struct target *target)
{
	bound_time(connect_ms);
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size) ||
	    write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
		return failed(descriptor);
	bound_time(0);
	return await(descriptor);
}

/* One mebibyte, closed without waiting for anything: most of it leaves after the close. */
struct outcome act_upload(int descriptor, const struct target *target)
{
	enum { UPLOAD = 1 << 20 };
	struct outcome outcome = act_connect(descriptor, target);
	char *bytes;
	size_t sent = sizeof(PAYLOAD) - 1;

	if (outcome.result != RESULT_CONNECTED)
		return outcome;
	bytes = calloc(1, UPLOAD);
	while (bytes && sent < UPLOAD) {
		ssize_t length = write(descriptor, bytes, UPLOAD - sent);

		if (length < 0) {
			outcome = refused(errno);
			break;
		}
		sent += (size_t)length;
	}
	free(bytes);
	return outcome;
}
