/* fuzz_http.c: any octets of a client, or of a server: one reading however they are cut, and no second one. */
#include "filter/answer.h"
#include "filter/http_answer.h"
#include "filter/http_reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 2048 };

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* What is written for the other side is one message of the same shape to a reader that knows nothing. */
static void require_same(enum http_kind kind, const struct http_head *head, const struct buffer *written,
			 bool to_head)
{
	struct buffer copy = { 0 };
	struct http_fault fault;
	struct http_head again;

	buffer_append(&copy, written->data, written->length);
	require(http_head_read(kind, &copy, to_head, &again, &fault));
	require(again.minor == 1);
	require(!http_head_find(&again, "proxy-authorization", NULL));
	require(kind == HTTP_KIND_ANSWER || again.body == head->body);
	require(kind == HTTP_KIND_ANSWER || again.length == head->length);
	http_head_free(&again);
}

static void try_request(const struct http_head *head, const struct target *tunnel)
{
	struct http_request request;
	struct buffer written = { 0 };
	struct http_fault fault;

	if (!http_request_read(head, tunnel, &request, &fault)) {
		require(fault.status >= 400 && fault.status < 600 && fault.reason[0]);
		return;
	}
	require(request.target.port > 0);
	require(!tunnel || (!strcmp(request.target.host, tunnel->host) &&
			    request.target.port == tunnel->port));
	if (http_request_ends_here(&request)) {
		answer_final(head, (struct answer_form){ .keep_alive = true }, &written);
		require(written.length > 0);
	} else if (request.form != HTTP_FORM_AUTHORITY) {
		http_request_write(head, &request, &written);
		require_same(HTTP_KIND_REQUEST, head, &written, false);
	}
	buffer_free(&written);
	http_request_free(&request);
}

static void try_answer(const struct http_head *head, bool to_head)
{
	static const struct http_request request = { .method = (char *)"GET", .keep_alive = true };
	struct http_head request_head = { .minor = 1 };
	struct http_relay_plan plan;
	struct buffer written = { 0 };
	struct http_fault fault;

	if (!http_answer_plan(head, &request_head, &request, true, &plan, &fault))
		return;
	http_answer_write(head, &plan, &written);
	require_same(HTTP_KIND_ANSWER, head, &written, to_head);
	buffer_free(&written);
}

/* Everything that comes out of a stream, given in steps. */
static struct http_fault read_all(enum http_kind kind, const uint8_t *data, size_t size, size_t step,
				  bool try, struct buffer *out)
{
	static const struct target tunnel = { .host = "a.test", .port = 80 };
	enum http_event event = HTTP_EVENT_MORE;
	struct http_reader reader;
	struct http_fault fault = { 0, NULL };
	size_t at = 0, have = 0, used;

	http_reader_start(&reader, kind, LIMIT);
	while (event != HTTP_EVENT_FAULT && (event != HTTP_EVENT_MORE || have < size)) {
		if (event == HTTP_EVENT_MORE)
			have = size - have < step ? size : have + step;
		event = http_read(&reader, data + at, have - at, &used, out, &fault);
		require(used <= have - at && reader.octets.length <= LIMIT + step);
		/* A blank behind each colon is ours; a step is read before it is judged. */
		require(reader.body.trailers.length <= 2 * (LIMIT + step));
		at += used;
		if (event == HTTP_EVENT_HEAD)
			buffer_append(out, reader.head.octets.data, reader.head.octets.length);
		if (event == HTTP_EVENT_HEAD && try && kind == HTTP_KIND_REQUEST) {
			try_request(&reader.head, NULL);
			try_request(&reader.head, &tunnel);
		}
		if (event == HTTP_EVENT_HEAD && try && kind == HTTP_KIND_ANSWER)
			try_answer(&reader.head, reader.to_head);
	}
	http_reader_free(&reader);
	return fault;
}

/* The first octet says whose octets they are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer whole = { 0 }, pieces = { 0 };
	struct http_fault fault, again;
	enum http_kind kind;

	if (!size)
		return 0;
	kind = data[0] & 1 ? HTTP_KIND_ANSWER : HTTP_KIND_REQUEST;
	fault = read_all(kind, data + 1, size - 1, size, true, &whole);
	again = read_all(kind, data + 1, size - 1, 1, false, &pieces);
	require(fault.reason == again.reason && fault.status == again.status);
	/* How much of a body came out before a fault depends on the cut. */
	require(whole.length == pieces.length || (fault.status && whole.length < pieces.length));
	require(!whole.length || !memcmp(whole.data, pieces.data, whole.length));
	buffer_free(&whole);
	buffer_free(&pieces);
	return 0;
}
