/* reading.c: octets of a client, read until they are enough or their time is over. */
#include "filter/reading.h"

#include "filter/timer.h"
#include "filter/turn.h"

#include <errno.h>
#include <event2/event.h>
#include <sys/socket.h>

enum { READ_SIZE = 16 * 1024 };

static void on_deadline(evutil_socket_t descriptor, short what, void *context)
{
	struct reading *reading = context;

	(void)descriptor;
	(void)what;
	reading->call(reading->context, READING_LATE);
}

static void receive(struct reading *reading)
{
	struct buffer *octets = &reading->octets;
	uint8_t chunk[READ_SIZE];
	size_t room = reading->limit - octets->length;
	ssize_t length;

	if (!room) {
		reading->call(reading->context, READING_FULL);
		return;
	}
	length = recv(reading->client->descriptor, chunk,
		      room < sizeof(chunk) ? room : sizeof(chunk), 0);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (length > 0)
		buffer_append(octets, chunk, (size_t)length);
	reading->call(reading->context, length > 0    ? READING_SOME
					: length == 0 ? READING_ENDED
						      : READING_BROKEN);
}

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct reading *reading = context;
	struct filter *filter = reading->client->filter;

	(void)descriptor;
	if (reading->paused) {
		event_del(&reading->readable);
		return;
	}
	if (!turn_begin(reading->client, what))
		return;
	/* Made active by reading_start(): what was read before. */
	if (what & EV_TIMEOUT)
		reading->call(reading->context, READING_SOME);
	else
		receive(reading);
	turn_end(filter);
}

void reading_start(struct reading *reading, struct client *client, size_t limit, uint64_t limit_ms,
		   const void *octets, size_t length, reading_call *call, void *context)
{
	struct event_base *base = client->filter->base;

	*reading = (struct reading){
		.client = client,
		.limit = limit > length ? limit : length,
		.call = call,
		.context = context,
	};
	buffer_append(&reading->octets, octets, length);
	event_assign(&reading->readable, base, client->descriptor, EV_READ | EV_PERSIST,
		     on_readable, reading);
	evtimer_assign(&reading->deadline, base, on_deadline, reading);
	event_add(&reading->readable, NULL);
	timer_set(&reading->deadline, limit_ms);
	if (length)
		event_active(&reading->readable, EV_TIMEOUT, 0);
}

void reading_stop(struct reading *reading)
{
	event_del(&reading->readable);
	event_del(&reading->deadline);
}

void reading_pause(struct reading *reading)
{
	event_del(&reading->deadline);
	reading->paused = true;
}

void reading_free(struct reading *reading)
{
	reading_stop(reading);
	buffer_free(&reading->octets);
}
