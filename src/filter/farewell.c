/* farewell.c: the last answer of a client, and the quiet time behind it. */
#include "filter/farewell.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "filter/timer.h"
#include "filter/turn.h"

#include <errno.h>
#include <event2/event_struct.h>
#include <stdlib.h>
#include <sys/socket.h>

/*
 * Theory of operation. A socket that is closed with octets unread sends a reset, which overtakes
 * the answer (RFC 9112, section 9.6). So the answer is written, the stream is ended, and what comes
 * is thrown away until the client ends too: within a time, and not more than a client in good faith
 * sends.
 */
enum {
	LINGER_MS = 2000,
	THROWN_AWAY_MAX = 1024 * 1024,
};

struct farewell {
	struct client *client;
	struct buffer answer;
	size_t written, thrown_away;
	struct event event, deadline;
};

void farewell_stop(struct farewell *farewell)
{
	event_del(&farewell->event);
	event_del(&farewell->deadline);
	buffer_free(&farewell->answer);
	free(farewell);
}

static void finish(struct farewell *farewell)
{
	struct client *client = farewell->client;

	farewell_stop(farewell);
	client_close(client);
}

static void on_deadline(evutil_socket_t descriptor, short what, void *context)
{
	(void)descriptor;
	(void)what;
	finish(context);
}

static void throw_away(struct farewell *farewell)
{
	char unread[16 * 1024];
	ssize_t length = recv(farewell->client->descriptor, unread, sizeof(unread), 0);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length > 0)
		farewell->thrown_away += (size_t)length;
	if (length <= 0 || farewell->thrown_away > THROWN_AWAY_MAX)
		finish(farewell);
}

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct farewell *farewell = context;
	struct filter *filter = farewell->client->filter;

	(void)descriptor;
	if (!turn_begin(farewell->client, what))
		return;
	throw_away(farewell);
	turn_end(filter);
}

static void listen_on(struct farewell *farewell)
{
	event_del(&farewell->event);
	event_assign(&farewell->event, farewell->client->filter->base, farewell->client->descriptor,
		     EV_READ | EV_PERSIST, on_readable, farewell);
	event_add(&farewell->event, NULL);
	client_await(farewell->client, true);
}

static void on_writable(evutil_socket_t descriptor, short what, void *context)
{
	struct farewell *farewell = context;
	ssize_t sent = send(descriptor, farewell->answer.data + farewell->written,
			    farewell->answer.length - farewell->written, MSG_NOSIGNAL);

	(void)what;
	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		finish(farewell);
		return;
	}
	if (sent > 0)
		farewell->written += (size_t)sent;
	if (farewell->written < farewell->answer.length)
		return;
	if (shutdown(descriptor, SHUT_WR))
		finish(farewell);
	else
		listen_on(farewell);
}

void farewell_start(struct client *client, const void *answer, size_t length)
{
	struct farewell *farewell = memory_allocate(1, sizeof(*farewell));

	farewell->client = client;
	buffer_append(&farewell->answer, answer, length);
	client->part = CLIENT_ANSWER;
	client->farewell = farewell;
	event_assign(&farewell->event, client->filter->base, client->descriptor,
		     EV_WRITE | EV_PERSIST, on_writable, farewell);
	evtimer_assign(&farewell->deadline, client->filter->base, on_deadline, farewell);
	event_add(&farewell->event, NULL);
	timer_set(&farewell->deadline, LINGER_MS);
	on_writable(client->descriptor, EV_WRITE, farewell);
}
