/* attempt_stream.c: attempts over connections. */
#include "attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

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

	if (poll(&poll_for, 1, TIMEOUT_MS) == 0)
		return (struct outcome){ .result = RESULT_TIMEOUT };
	getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum, &size);
	return errnum ? refused(errnum) : (struct outcome){ .result = RESULT_CONNECTED };
}

/* SO_SNDTIMEO bounds a blocking connect, which then fails with EINPROGRESS. */
static void bound_time(int descriptor)
{
	struct timeval limit = { .tv_sec = TIMEOUT_MS / 1000, .tv_usec = TIMEOUT_MS % 1000 * 1000 };

	setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

struct outcome act_connect(int descriptor, const struct target *target)
{
	bool blocking = !(fcntl(descriptor, F_GETFL) & O_NONBLOCK);

	bound_time(descriptor);
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size) == 0) {
		/* Something has to be sent for the other side to see who it was. */
		if (write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
			return refused(errno);
		return (struct outcome){ .result = RESULT_CONNECTED };
	}
	if (errno != EINPROGRESS && errno != EAGAIN)
		return refused(errno);
	return blocking ? (struct outcome){ .result = RESULT_TIMEOUT } : await(descriptor);
}

/* The data is in the SYN, if the kernel lets it go without a cookie. */
struct outcome act_fastopen(int descriptor, const struct target *target)
{
	bound_time(descriptor);
	if (sendto(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1, MSG_FASTOPEN,
		   (const struct sockaddr *)&target->address, target->size) < 0)
		return errno == EINPROGRESS || errno == EAGAIN ? await(descriptor) : refused(errno);
	return await(descriptor);
}

/* connect(2) succeeds at once here; it is the write that sends. */
struct outcome act_fastopen_connect(int descriptor, const struct target *target)
{
	bound_time(descriptor);
	if (connect(descriptor, (const struct sockaddr *)&target->address, target->size) ||
	    write(descriptor, PAYLOAD, sizeof(PAYLOAD) - 1) < 0)
		return errno == EINPROGRESS || errno == EAGAIN ? await(descriptor) : refused(errno);
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
