/* dial_attempt.c: one address that is being connected to. */
#include "filter/dial_attempt.h"

#include "base/memory.h"
#include "filter/sockets.h"

#include <errno.h>
#include <unistd.h>

static void free_event(struct attempt *attempt)
{
	if (attempt->event)
		event_free(attempt->event);
	attempt->event = NULL;
}

static void on_writable(evutil_socket_t descriptor, short what, void *context)
{
	struct attempt *attempt = context;
	socklen_t length = sizeof(attempt->errnum);

	(void)what;
	if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &attempt->errnum, &length))
		attempt->errnum = errno;
	free_event(attempt);
	attempt->done(attempt);
}

enum attempt_status attempt_start(struct attempt *attempt, struct event_base *base, uint16_t port)
{
	const struct address_port to = { .address = attempt->address, .port = port };

	attempt->event = NULL;
	attempt->errnum = 0;
	attempt->descriptor = socket_open(attempt->address.family);
	if (attempt->descriptor < 0) {
		attempt->errnum = errno;
		return ATTEMPT_NO_SOCKET;
	}
	if (socket_connect(attempt->descriptor, &to))
		return ATTEMPT_CONNECTED;
	if (errno != EALREADY) {
		attempt->errnum = errno;
		return ATTEMPT_FAILED;
	}
	attempt->event = event_new(base, attempt->descriptor, EV_WRITE, on_writable, attempt);
	if (!attempt->event || event_add(attempt->event, NULL))
		memory_exhausted();
	return ATTEMPT_UNDER_WAY;
}

int attempt_take(struct attempt *attempt)
{
	int descriptor = attempt->descriptor;

	attempt->descriptor = -1;
	return descriptor;
}

void attempt_stop(struct attempt *attempt)
{
	free_event(attempt);
	if (attempt->descriptor >= 0)
		close(attempt->descriptor);
	attempt->descriptor = -1;
}
