/* http_reader.h: a stream of requests or of answers, taken apart message by message. */
#ifndef EGRESSFW_FILTER_HTTP_READER_H
#define EGRESSFW_FILTER_HTTP_READER_H

#include "filter/http_body.h"
#include "filter/http_head.h"

/*
 * Theory of operation. Octets go in, and come out as one event after the other: a head, then its
 * body in the framing in which it is to be sent on, then its end; then the next message begins. Two
 * readers must agree on every head: http_head.c, and llhttp in its strict mode, which then reads
 * the body (http_body.h). Nothing is kept but the head and the trailer fields, both within `limit`.
 */
enum http_event {
	HTTP_EVENT_MORE,  /* all octets are used; give more */
	HTTP_EVENT_HEAD,  /* reader->head is whole; it stands until the next message begins */
	HTTP_EVENT_END,   /* the message is over; the next octets are the next one's */
	HTTP_EVENT_FAULT, /* *ret_fault is set; the stream cannot be read any further */
};

enum http_state { HTTP_STATE_HEAD, HTTP_STATE_BODY, HTTP_STATE_OVER, HTTP_STATE_FAULT };

struct http_reader {
	enum http_kind kind;
	enum http_state state;
	size_t limit;
	bool to_head; /* to be set before an answer's head is read: it answers HEAD */
	bool plain;   /* to be set at HTTP_EVENT_HEAD: chunks are taken out of their framing */
	struct http_head head;
	struct http_fault fault;
	struct buffer octets; /* of a head that is not whole */
	size_t scanned, line;
	struct http_body_reader body;
};

/* `limit`: octets of a head, and of what stands between two pieces of a body. */
void http_reader_start(struct http_reader *reader, enum http_kind kind, size_t limit);
void http_reader_free(struct http_reader *reader);

/*
 * Reads on until something happened. *ret_used is how many octets were used, the rest is to be
 * given again. Octets of the body are appended to `body`; where no chunks are read these are never
 * more than `length`. HTTP_EVENT_HEAD and HTTP_EVENT_END may come without an octet being used, so
 * call again.
 */
enum http_event http_read(struct http_reader *reader, const void *octets, size_t length,
			  size_t *ret_used, struct buffer *body, struct http_fault *ret_fault);

/*
 * The stream has ended. HTTP_EVENT_END: so has a body until the close. HTTP_EVENT_MORE: nothing had
 * begun. HTTP_EVENT_FAULT: in the middle of a message.
 */
enum http_event http_read_end(struct http_reader *reader, struct http_fault *ret_fault);

/* Whether octets of a message have been read that is not over. */
bool http_reader_is_within(const struct http_reader *reader);

#endif
