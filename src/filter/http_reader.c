/* http_reader.c: a stream of requests or of answers, taken apart message by message. */
#include "filter/http_reader.h"

#include <string.h>

void http_reader_start(struct http_reader *reader, enum http_kind kind, size_t limit)
{
	*reader = (struct http_reader){ .kind = kind, .limit = limit };
}

void http_reader_free(struct http_reader *reader)
{
	http_head_free(&reader->head);
	http_body_free(&reader->body);
	buffer_free(&reader->octets);
}

/* The empty line that may stand in front of a head, or a part of it, begins none. */
static bool has_begun(const struct buffer *head)
{
	return head->length > 2 || (head->length && head->data[0] != '\r');
}

bool http_reader_is_within(const struct http_reader *reader)
{
	return reader->state == HTTP_STATE_BODY ||
	       (reader->state == HTTP_STATE_HEAD && has_begun(&reader->octets));
}

static bool refuse(struct http_reader *reader, unsigned status, const char *reason)
{
	reader->state = HTTP_STATE_FAULT;
	reader->fault = (struct http_fault){ status, reason };
	return false;
}

/* One octet of the head: a line ends in CRLF, and there is no other control character. */
static bool check_octet(struct http_reader *reader, size_t at)
{
	uint8_t octet = reader->octets.data[at];
	bool after_return = at > 0 && reader->octets.data[at - 1] == '\r';

	if (after_return != (octet == '\n'))
		return refuse(reader, 400, "a line of the head does not end in CRLF");
	if ((octet < 0x20 && octet != '\r' && octet != '\n' && octet != '\t') || octet == 0x7f)
		return refuse(reader, 400, "a control character stands in the head");
	/* Nobody may wait for the end of what cannot become a head. */
	if (at == 0 && (octet == '\t' || octet == ' ' || octet >= 0x80))
		return refuse(reader, 400, "this is no HTTP");
	return true;
}

/*
 * Behind the characters, most of a head, that neither end a line nor break it wherever they stand.
 */
static size_t skip_ordinary(const struct http_reader *reader, size_t at)
{
	const struct buffer *octets = &reader->octets;
	size_t end = octets->length < reader->limit ? octets->length : reader->limit;

	if (at == 0 || octets->data[at - 1] == '\r')
		return at;
	while (at < end && octets->data[at] >= 0x20 && octets->data[at] != 0x7f)
		at++;
	return at;
}

/*
 * Looks for the empty line; *ret is where the head ends, or 0. One empty line in front of a request
 * is overlooked (RFC 9112, section 2.2).
 */
static bool find_end(struct http_reader *reader, size_t *ret)
{
	*ret = 0;
	for (; reader->scanned < reader->octets.length; reader->scanned++) {
		size_t at = skip_ordinary(reader, reader->scanned);
		bool empty = at == reader->line + 1;

		reader->scanned = at;
		if (at == reader->octets.length)
			break;
		if (at >= reader->limit)
			return refuse(reader, 431, "the head is larger than limits.header_bytes");
		if (!check_octet(reader, at))
			return false;
		if (reader->octets.data[at] != '\n')
			continue;
		if (empty && at == 1 && reader->kind == HTTP_KIND_ANSWER)
			return refuse(reader, 400, "this is no HTTP");
		if (empty && at == 3)
			return refuse(reader, 400, "there is more than one empty line in front");
		reader->line = at + 1;
		if (!empty || at == 1)
			continue;
		*ret = ++reader->scanned;
		return true;
	}
	return true;
}

/* The head without the empty line in front of it. */
static void drop_empty_line(struct buffer *octets)
{
	if (octets->length < 2 || octets->data[0] != '\r')
		return;
	octets->length -= 2;
	memmove(octets->data, octets->data + 2, octets->length);
}

static enum http_event read_head(struct http_reader *reader, const void *octets, size_t length,
				 size_t *ret_used)
{
	size_t before = reader->octets.length, end;

	buffer_append(&reader->octets, octets, length);
	if (!find_end(reader, &end))
		return HTTP_EVENT_FAULT;
	*ret_used = end ? end - before : length;
	if (!end)
		return HTTP_EVENT_MORE;
	reader->octets.length = end;
	drop_empty_line(&reader->octets);
	reader->scanned = reader->line = 0;
	reader->state = HTTP_STATE_FAULT;
	if (!http_head_read(reader->kind, &reader->octets, reader->to_head, &reader->head,
			    &reader->fault) ||
	    !http_body_start(&reader->body, &reader->head, reader->limit, &reader->fault))
		return HTTP_EVENT_FAULT;
	reader->state = HTTP_STATE_BODY;
	reader->plain = false;
	return HTTP_EVENT_HEAD;
}

static enum http_event read_body(struct http_reader *reader, const void *octets, size_t length,
				 size_t *ret_used, struct buffer *body)
{
	bool over = reader->head.body == HTTP_BODY_NONE;

	if (!over && !http_body_read(&reader->body, reader->plain, octets, length, ret_used, body,
				     &reader->fault)) {
		reader->state = HTTP_STATE_FAULT;
		return HTTP_EVENT_FAULT;
	}
	if (!over && !reader->body.is_over)
		return HTTP_EVENT_MORE;
	reader->state = HTTP_STATE_OVER;
	return HTTP_EVENT_END;
}

enum http_event http_read(struct http_reader *reader, const void *octets, size_t length,
			  size_t *ret_used, struct buffer *body, struct http_fault *ret_fault)
{
	enum http_event event = HTTP_EVENT_FAULT;

	*ret_used = 0;
	if (reader->state == HTTP_STATE_OVER) {
		http_head_free(&reader->head);
		http_body_free(&reader->body);
		reader->state = HTTP_STATE_HEAD;
	}
	if (reader->state == HTTP_STATE_HEAD)
		event = read_head(reader, octets, length, ret_used);
	else if (reader->state == HTTP_STATE_BODY)
		event = read_body(reader, octets, length, ret_used, body);
	if (event == HTTP_EVENT_FAULT)
		*ret_fault = reader->fault;
	return event;
}

enum http_event http_read_end(struct http_reader *reader, struct http_fault *ret_fault)
{
	if (reader->state == HTTP_STATE_BODY && reader->head.body == HTTP_BODY_NONE)
		return HTTP_EVENT_END;
	if (reader->state == HTTP_STATE_BODY && reader->head.body == HTTP_BODY_UNTIL_CLOSE) {
		reader->state = HTTP_STATE_OVER;
		return HTTP_EVENT_END;
	}
	if (reader->state != HTTP_STATE_FAULT && !http_reader_is_within(reader))
		return HTTP_EVENT_MORE;
	if (reader->state != HTTP_STATE_FAULT)
		refuse(reader, 400, "the stream ended in the middle of a message");
	*ret_fault = reader->fault;
	return HTTP_EVENT_FAULT;
}
