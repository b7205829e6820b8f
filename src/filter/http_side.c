/* http_side.c: one of the two connections of an exchange, with the octets that wait on it. */
#include "filter/http_side.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KEPT_MAX = 4 * 1024 }; /* memory of an empty buffer that is not given back */

void http_side_clear(struct http_side *side)
{
	*side = (struct http_side){ .descriptor = -1 };
}

void http_side_open(struct http_side *side, struct event_base *base, int descriptor,
		    event_callback_fn on_readable, event_callback_fn on_writable, void *context)
{
	http_side_clear(side);
	side->descriptor = descriptor;
	event_assign(&side->readable, base, descriptor, EV_READ | EV_PERSIST, on_readable, context);
	event_assign(&side->writable, base, descriptor, EV_WRITE | EV_PERSIST, on_writable,
		     context);
}

int http_side_release(struct http_side *side)
{
	int descriptor = side->descriptor;

	if (descriptor >= 0) {
		event_del(&side->readable);
		event_del(&side->writable);
	}
	side->descriptor = -1;
	return descriptor;
}

void http_side_close(struct http_side *side)
{
	int descriptor = http_side_release(side);

	if (descriptor >= 0)
		close(descriptor);
	buffer_free(&side->in);
	buffer_free(&side->out);
	http_side_clear(side);
}

size_t http_side_receive(struct http_side *side, size_t most)
{
	ssize_t length = recv(side->descriptor, buffer_reserve(&side->in, most), most, 0);

	if (length > 0) {
		side->in.length += (size_t)length;
		return (size_t)length;
	}
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	side->ended = true;
	side->broken = length < 0;
	return 0;
}

/* Empty buffers keep little: there may be thousands of clients that do nothing. */
static void settle(struct buffer *buffer, size_t *used)
{
	if (*used < buffer->length) {
		if (*used < HTTP_SIDE_ROOM)
			return;
		buffer->length -= *used;
		memmove(buffer->data, buffer->data + *used, buffer->length);
		*used = 0;
		return;
	}
	*used = 0;
	buffer->length = 0;
	if (buffer->capacity > KEPT_MAX)
		buffer_free(buffer);
}

size_t http_side_send(struct http_side *side)
{
	size_t total = 0;

	while (side->out_sent < side->out.length && !side->broken) {
		ssize_t sent = send(side->descriptor, side->out.data + side->out_sent,
				    side->out.length - side->out_sent, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			break;
		if (sent < 0) {
			side->broken = true;
			side->out_sent = side->out.length;
			break;
		}
		side->out_sent += (size_t)sent;
		total += (size_t)sent;
	}
	settle(&side->out, &side->out_sent);
	return total;
}

const uint8_t *http_side_unused(const struct http_side *side, size_t *ret_length)
{
	*ret_length = side->in.length - side->in_used;
	return *ret_length ? side->in.data + side->in_used : (const uint8_t *)"";
}

void http_side_use(struct http_side *side, size_t length)
{
	side->in_used += length;
	settle(&side->in, &side->in_used);
}

size_t http_side_waiting(const struct http_side *side)
{
	return side->out.length - side->out_sent;
}

/* Events are added and deleted only where that changes something. */
static void wait_for(struct event *event, bool *waits, bool wanted)
{
	if (*waits == wanted)
		return;
	*waits = wanted;
	if (wanted)
		event_add(event, NULL);
	else
		event_del(event);
}

void http_side_wait(struct http_side *side, bool readable)
{
	if (side->descriptor < 0)
		return;
	wait_for(&side->readable, &side->waits_readable, readable && !side->ended);
	wait_for(&side->writable, &side->waits_writable,
		 !side->broken && http_side_waiting(side) > 0);
}
