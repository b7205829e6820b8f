/* http_side.h: one of the two connections of an exchange, with the octets that wait on it. */
#ifndef EGRESSFW_FILTER_HTTP_SIDE_H
#define EGRESSFW_FILTER_HTTP_SIDE_H

#include "base/buffer.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More octets than these wait on no side, but for one message's head. */
enum { HTTP_SIDE_ROOM = 64 * 1024 };

struct http_side {
	int descriptor; /* -1: there is none; whoever opens a side closes it */
	struct buffer in;
	size_t in_used; /* octets of `in` that were used */
	struct buffer out;
	size_t out_sent;
	bool ended;  /* the other end has said its last, or broke off */
	bool broken; /* nothing can be sent any more */
	struct event readable, writable;
	bool waits_readable, waits_writable;
};

void http_side_clear(struct http_side *side);

/* The call gets `context`, and reads or sends itself. */
void http_side_open(struct http_side *side, struct event_base *base, int descriptor,
		    event_callback_fn on_readable, event_callback_fn on_writable, void *context);

/* Ends its events and forgets the descriptor, which is returned; the octets stay. */
int http_side_release(struct http_side *side);

/* The same, and closes it and frees the octets. A side without a descriptor may be closed. */
void http_side_close(struct http_side *side);

/* Receives once, what fits in `most`; how many octets came. */
size_t http_side_receive(struct http_side *side, size_t most);

/* Sends what can be sent now; how many octets went out. */
size_t http_side_send(struct http_side *side);

/* What is there to be used, and that some of it was. */
const uint8_t *http_side_unused(const struct http_side *side, size_t *ret_length);
void http_side_use(struct http_side *side, size_t length);

size_t http_side_waiting(const struct http_side *side);

/* Waits for octets to be received, and always for room where some wait to be sent. */
void http_side_wait(struct http_side *side, bool readable);

#endif
