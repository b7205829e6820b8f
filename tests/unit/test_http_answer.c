/* test_http_answer.c: what a client gets of each answer of a server. */
#include "filter/answer.h"
#include "filter/http_answer.h"
#include "filter/http_reader.h"

#include "hello_recipe.h"
#include "suite.h"

#include <string.h>

enum { LIMIT = 4096 };

#define OK "HTTP/1.1 200 OK\r\n"
#define GET "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
#define GET_1_0 "GET http://a.test/ HTTP/1.0\r\n\r\n"
#define GET_CLOSE "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n"
#define HEAD "HEAD http://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n"
#define WEBSOCKET                                                                                  \
	"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\n"                   \
	"Upgrade: websocket\r\n\r\n"

struct row {
	const char *what;
	const char *request;
	struct octets stream; /* of the server, which closes behind it */
	/* What the client gets; "!" and a reason where the answer is refused, behind what came before. */
	const char *received;
	const char *ends; /* who may go on: "both", "client", "server", "none"; "raw" after 101 */
};

static const struct row rows[] = {
	{ "length", GET, OCTETS(OK "Content-Length: 3\r\n\r\nabc"), OK "Content-Length: 3\r\n\r\nabc", "both" },
	{ "no body", GET, OCTETS(OK "Content-Length: 0\r\n\r\n"), OK "Content-Length: 0\r\n\r\n", "both" },
	{ "until the close", GET, OCTETS(OK "\r\nabc"), OK "Connection: close\r\n\r\nabc", "none" },
	{ "empty until the close", GET, OCTETS(OK "\r\n"), OK "Connection: close\r\n\r\n", "none" },
	{ "chunks", GET, OCTETS(OK "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX: 1\r\nHost: x\r\n\r\n"),
	  OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n", "both" },
	{ "chunks to HTTP/1.0", GET_1_0, OCTETS(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX: 1\r\n\r\n"),
	  OK "Connection: close\r\n\r\nabcde", "server" },
	{ "length to HTTP/1.0", GET_1_0, OCTETS(OK "Content-Length: 3\r\n\r\nabc"),
	  OK "Content-Length: 3\r\nConnection: close\r\n\r\nabc", "server" },
	{ "client closes", GET_CLOSE, OCTETS(OK "Content-Length: 1\r\n\r\nx"),
	  OK "Content-Length: 1\r\nConnection: close\r\n\r\nx", "server" },
	{ "server closes", GET, OCTETS(OK "Content-Length: 1\r\nConnection: close\r\n\r\nx"),
	  OK "Content-Length: 1\r\n\r\nx", "client" },
	{ "server of HTTP/1.0", GET, OCTETS("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"),
	  OK "Content-Length: 1\r\n\r\nx", "client" },
	{ "HEAD with a length", HEAD, OCTETS(OK "Content-Length: 9999\r\n\r\n"), OK "Content-Length: 9999\r\n\r\n", "both" },
	{ "HEAD with chunks", HEAD, OCTETS(OK "Transfer-Encoding: chunked\r\n\r\n"), OK "\r\n", "both" },
	{ "HEAD without a length", HEAD, OCTETS(OK "\r\n"), OK "\r\n", "both" },
	{ "204", GET, OCTETS("HTTP/1.1 204 No Content\r\n\r\n"), "HTTP/1.1 204 No Content\r\n\r\n", "both" },
	{ "204 with a length", GET, OCTETS("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
	  "HTTP/1.1 204 No Content\r\n\r\n", "both" },
	{ "304 with a length", GET, OCTETS("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
	  "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "both" },
	{ "no phrase", GET, OCTETS("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n"),
	  "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "both" },
	{ "no blank behind the status", GET, OCTETS("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"),
	  "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "both" },
	{ "redirect as it is", GET,
	  OCTETS("HTTP/1.1 302 Found\r\nLocation: http://b.test/?X-Sig=a%2Fb\r\nContent-Length: 0\r\n\r\n"),
	  "HTTP/1.1 302 Found\r\nLocation: http://b.test/?X-Sig=a%2Fb\r\nContent-Length: 0\r\n\r\n", "both" },

	/* Case G15. */
	{ "cookies apart and in order", GET,
	  OCTETS(OK "Set-Cookie: a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: x\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"),
	  OK "Set-Cookie: a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: x\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n",
	  "both" },
	{ "fields of one connection", GET,
	  OCTETS(OK "Keep-Alive: timeout=5\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: h2c\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"),
	  OK "Content-Length: 0\r\n\r\n", "both" },
	{ "fields in the filter's name", GET,
	  OCTETS("HTTP/1.1 403 No\r\nX-Egressfw-Decision: block\r\nX-EGRESSFW-RULE: x\r\nContent-Length: 0\r\n\r\n"),
	  "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "both" },
	{ "Connection names Content-Length", GET, OCTETS(OK "Connection: content-length\r\nContent-Length: 1\r\n\r\nx"),
	  "!the server's Connection names a field that frames, or too many", NULL },

	/* Interim answers. */
	{ "100 and 200", GET, OCTETS("HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 0\r\n\r\n"),
	  "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 0\r\n\r\n", "both" },
	{ "100 to HTTP/1.0", GET_1_0, OCTETS("HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 0\r\n\r\n"),
	  OK "Content-Length: 0\r\nConnection: close\r\n\r\n", "server" },
	{ "102 and 103", GET,
	  OCTETS("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" OK "Content-Length: 0\r\n\r\n"),
	  "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" OK "Content-Length: 0\r\n\r\n", "both" },
	{ "100 with a length", GET, OCTETS("HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n" OK "Content-Length: 0\r\n\r\n"),
	  "HTTP/1.1 100 Continue\r\n\r\n" OK "Content-Length: 0\r\n\r\n", "both" },
	{ "101", WEBSOCKET,
	  OCTETS("HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n\x81\2hi"),
	  "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\2hi", "raw" },
	{ "101 without being asked", GET, OCTETS("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"),
	  "!the server changes the protocol without being asked", NULL },
	{ "101 to another protocol", WEBSOCKET, OCTETS("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n"),
	  "!the server changes the protocol without being asked", NULL },
	{ "websocket refused", WEBSOCKET, OCTETS("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
	  "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "both" },

	{ "200 that speaks of an upgrade", WEBSOCKET, OCTETS(OK "Upgrade: websocket\r\nConnection: upgrade\r\n\r\nabc"),
	  OK "Connection: close\r\n\r\nabc", "none" },

	/* What cannot be passed on. */
	{ "length and chunks", GET, OCTETS(OK "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	  "!there are both Content-Length and Transfer-Encoding", NULL },
	{ "two lengths", GET, OCTETS(OK "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
	  "!there is more than one Content-Length", NULL },
	{ "length of letters", GET, OCTETS(OK "Content-Length: x\r\n\r\n"), "!Content-Length is no number", NULL },
	{ "other coding", GET, OCTETS(OK "Transfer-Encoding: gzip\r\n\r\nx"),
	  "!the transfer coding is another than \"chunked\"", NULL },
	{ "chunks twice", GET, OCTETS(OK "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	  "!there is more than one Transfer-Encoding", NULL },
	{ "a coding behind chunked", GET, OCTETS(OK "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
	  "!\"chunked\" is not the last transfer coding", NULL },
	{ "chunks of HTTP/1.0", GET, OCTETS("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	  "!HTTP/1.0 knows no Transfer-Encoding", NULL },
	{ "LF alone", GET, OCTETS("HTTP/1.1 200 OK\nContent-Length: 0\n\n"), "!a line of the head does not end in CRLF", NULL },
	{ "folded", GET, OCTETS(OK "A: b\r\n c\r\n\r\n"), "!a header field is folded over lines", NULL },
	{ "folded with a TAB", GET, OCTETS(OK "A: b\r\n\tc\r\n\r\n"), "!a header field is folded over lines", NULL },
	{ "NUL", GET, OCTETS(OK "A: \0\r\n\r\n"), "!a control character stands in the head", NULL },
	{ "DEL", GET, OCTETS(OK "A: \x7f\r\n\r\n"), "!a control character stands in the head", NULL },
	{ "empty line in front", GET, OCTETS("\r\n" OK "\r\n"), "!this is no HTTP", NULL },
	{ "HTTP/0.9", GET, OCTETS("<html>\r\n\r\n"), "!the first line is no status line", NULL },
	{ "HTTP/2", GET, OCTETS("HTTP/2.0 200 OK\r\n\r\n"), "!only HTTP/1.0 and HTTP/1.1 are understood", NULL },
	{ "HTTP/1.10", GET, OCTETS("HTTP/1.10 200 OK\r\n\r\n"), "!the first line is no line of HTTP/1.1", NULL },
	{ "HTTP/x.1", GET, OCTETS("HTTP/x.1 200 OK\r\n\r\n"), "!the first line is no line of HTTP/1.1", NULL },
	{ "HTTP/1.x", GET, OCTETS("HTTP/1.x 200 OK\r\n\r\n"), "!the first line is no line of HTTP/1.1", NULL },
	{ "status with a letter", GET, OCTETS("HTTP/1.1 2x0 OK\r\n\r\n"), "!the status is no number from 100 to 599", NULL },
	{ "status 99", GET, OCTETS("HTTP/1.1 099 X\r\n\r\n"), "!the status is no number from 100 to 599", NULL },
	{ "status 600", GET, OCTETS("HTTP/1.1 600 X\r\n\r\n"), "!the status is no number from 100 to 599", NULL },
	{ "status of four digits", GET, OCTETS("HTTP/1.1 2000 X\r\n\r\n"), "!the status is no number from 100 to 599", NULL },
	{ "no octet", GET, OCTETS(""), "!ended", NULL },
	{ "half a head", GET, OCTETS("HTTP/1.1 200 OK\r\nA"), "!the stream ended in the middle of a message", NULL },
	{ "half a body", GET, OCTETS(OK "Content-Length: 3\r\n\r\na"),
	  OK "Content-Length: 3\r\n\r\na!the stream ended in the middle of a message", NULL },
	{ "half the chunks", GET, OCTETS(OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
	  OK "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n!the stream ended in the middle of a message", NULL },
	{ "malformed chunks", GET, OCTETS(OK "Transfer-Encoding: chunked\r\n\r\nx\r\n"),
	  OK "Transfer-Encoding: chunked\r\n\r\n!the chunks of the body are malformed", NULL },
	{ "only 100", GET, OCTETS("HTTP/1.1 100 Continue\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n!ended", NULL },
};

struct run {
	struct http_reader reader;
	struct http_head request_head;
	struct http_request request;
	struct http_relay_plan plan;
	bool ended;
	struct buffer received;
};

static void read_request(struct run *run, const char *text)
{
	struct buffer octets = { 0 };
	struct http_fault fault;

	buffer_append_text(&octets, text);
	ck_assert(http_head_read(HTTP_KIND_REQUEST, &octets, false, &run->request_head, &fault));
	ck_assert_msg(http_request_read(&run->request_head, NULL, &run->request, &fault), "%s", fault.reason);
	http_reader_start(&run->reader, HTTP_KIND_ANSWER, LIMIT);
	run->reader.to_head = !strcmp(run->request.method, "HEAD");
}

static void on_event(struct run *run, enum http_event event, struct http_fault *fault)
{
	switch (event) {
	case HTTP_EVENT_MORE:
		return;
	case HTTP_EVENT_HEAD:
		if (http_answer_plan(&run->reader.head, &run->request_head, &run->request, true, &run->plan, fault)) {
			http_answer_write(&run->reader.head, &run->plan, &run->received);
			run->reader.plain = run->plan.plain;
			run->ended = run->plan.relay == HTTP_RELAY_UPGRADE;
			return;
		}
		break;
	case HTTP_EVENT_END:
		run->ended = run->plan.relay == HTTP_RELAY_FINAL;
		return;
	case HTTP_EVENT_FAULT:
		break;
	}
	buffer_printf(&run->received, "!%s", fault->reason);
	run->ended = true;
}

static const char *who_goes_on(const struct http_relay_plan *plan)
{
	if (plan->relay == HTTP_RELAY_UPGRADE)
		return "raw";
	if (plan->keep_client)
		return plan->keep_server ? "both" : "client";
	return plan->keep_server ? "server" : "none";
}

static void finish(struct run *run)
{
	struct http_fault fault = { 0, "ended" };
	enum http_event event = http_read_end(&run->reader, &fault);

	if (event == HTTP_EVENT_MORE)
		event = HTTP_EVENT_FAULT;
	on_event(run, event, &fault);
}

static void check_row(const struct row *row, size_t step)
{
	const uint8_t *octets = (const uint8_t *)row->stream.bytes;
	struct run run = { .ended = false };
	size_t at = 0, have = 0, used;
	struct http_fault fault;

	read_request(&run, row->request);
	while (!run.ended) {
		enum http_event event =
			http_read(&run.reader, octets + at, have - at, &used, &run.received, &fault);

		at += used;
		on_event(&run, event, &fault);
		if (event != HTTP_EVENT_MORE)
			continue;
		if (have == row->stream.length)
			break;
		have = row->stream.length - have < step ? row->stream.length : have + step;
	}
	if (!run.ended)
		finish(&run);
	else if (run.plan.relay == HTTP_RELAY_UPGRADE)
		buffer_append(&run.received, octets + at, row->stream.length - at);
	ck_assert_msg(!strcmp(buffer_string(&run.received), row->received), "%s in steps of %zu:\n%s", row->what, step,
		      buffer_string(&run.received));
	if (row->ends)
		ck_assert_msg(!strcmp(who_goes_on(&run.plan), row->ends), "%s: %s", row->what, who_goes_on(&run.plan));
	http_reader_free(&run.reader);
	http_request_free(&run.request);
	http_head_free(&run.request_head);
	buffer_free(&run.received);
}

START_TEST(every_answer_is_passed_on_or_refused)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t step = 1; step < 300; step = step < 8 ? step + 1 : step * 2)
			check_row(&rows[i], step);
}
END_TEST

START_TEST(early_answer_closes_the_client)
{
	static const char text[] = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
	struct http_head answer;
	struct buffer octets = { 0 }, out = { 0 };
	struct http_fault fault;
	struct run run = { .ended = false };

	read_request(&run, GET);
	buffer_append_text(&octets, text);
	ck_assert(http_head_read(HTTP_KIND_ANSWER, &octets, false, &answer, &fault));
	ck_assert(http_answer_plan(&answer, &run.request_head, &run.request, false, &run.plan, &fault));
	ck_assert_str_eq(who_goes_on(&run.plan), "none");
	http_answer_write(&answer, &run.plan, &out);
	ck_assert(strstr(buffer_string(&out), "Connection: close\r\n"));
	http_head_free(&answer);
	http_head_free(&run.request_head);
	http_request_free(&run.request);
	http_reader_free(&run.reader);
	buffer_free(&out);
}
END_TEST

START_TEST(fields_are_bounded)
{
	struct buffer octets = { 0 }, again = { 0 };
	struct http_head head;
	struct http_fault fault;

	buffer_append_text(&octets, "GET http://a.test/ HTTP/1.1\r\n");
	for (size_t i = 0; i < HTTP_FIELDS_MAX; i++)
		buffer_append_text(&octets, "A: b\r\n");
	buffer_append(&again, octets.data, octets.length);
	buffer_append_text(&again, "A: b\r\n\r\n");
	buffer_append_text(&octets, "\r\n");
	ck_assert(http_head_read(HTTP_KIND_REQUEST, &octets, false, &head, &fault));
	ck_assert_uint_eq(head.count, HTTP_FIELDS_MAX);
	http_head_free(&head);
	ck_assert(!http_head_read(HTTP_KIND_REQUEST, &again, false, &head, &fault));
	ck_assert_uint_eq(fault.status, 431);
	ck_assert_ptr_null(again.data);
}
END_TEST

/* What stands between two chunks has a bound, and not all of it together. */
START_TEST(chunks_may_be_many)
{
	enum { CHUNKS = LIMIT };
	static const char head[] = OK "Transfer-Encoding: chunked\r\n\r\n", end[] = "0\r\n\r\n";
	struct buffer octets = { 0 }, body = { 0 };
	struct http_reader reader;
	struct http_fault fault;
	size_t used;

	for (size_t i = 0; i < CHUNKS; i++)
		buffer_append_text(&octets, "1\r\nx\r\n");
	buffer_append_text(&octets, end);
	http_reader_start(&reader, HTTP_KIND_ANSWER, LIMIT);
	reader.plain = true;
	ck_assert_int_eq(http_read(&reader, head, strlen(head), &used, &body, &fault), HTTP_EVENT_HEAD);
	ck_assert_int_eq(http_read(&reader, octets.data, octets.length, &used, &body, &fault), HTTP_EVENT_END);
	ck_assert_uint_eq(used, octets.length);
	http_reader_free(&reader);
	buffer_free(&octets);
	buffer_free(&body);
}
END_TEST

/* What came in one piece with a fault is not passed on. */
START_TEST(nothing_goes_out_with_a_fault)
{
	static const char head[] = OK "Transfer-Encoding: chunked\r\n\r\n", chunks[] = "3\r\nabcd\r\n";
	struct buffer body = { 0 };
	struct http_reader reader;
	struct http_fault fault;
	size_t used;

	http_reader_start(&reader, HTTP_KIND_ANSWER, LIMIT);
	ck_assert_int_eq(http_read(&reader, head, strlen(head), &used, &body, &fault), HTTP_EVENT_HEAD);
	ck_assert_int_eq(http_read(&reader, chunks, strlen(chunks), &used, &body, &fault), HTTP_EVENT_FAULT);
	ck_assert_uint_eq(body.length, 0);
	http_reader_free(&reader);
	buffer_free(&body);
}
END_TEST

/* By the first of the two readers alone, whatever the octets went through before. */
START_TEST(heads_are_read_strictly)
{
	static const struct {
		struct octets octets;
		const char *reason;
	} heads[] = {
		{ OCTETS("GET  HTTP/1.1\r\n\r\n"), "the first line is no request line" },
		{ OCTETS("GET /\xc3\xbc HTTP/1.1\r\n\r\n"), "the request target has a character that is not ASCII" },
		{ OCTETS("GET /\ta HTTP/1.1\r\n\r\n"), "the request target has a character that is not ASCII" },
		{ OCTETS("GET / HTTP/1.1\r\nA: b\1\r\n\r\n"), "a header line has a control character, or no CRLF" },
		{ OCTETS("GET / HTTP/1.1\r\nA: b\0\r\n\r\n"), "a header line has a control character, or no CRLF" },
		{ OCTETS("GET / HTTP/1.1\r\nA: b\x7f\r\n\r\n"), "a header line has a control character, or no CRLF" },
		{ OCTETS("GET / HTTP/1.1\r\nA: b\n\r\n"), "a header line has a control character, or no CRLF" },
		{ OCTETS("GET / HTTP/1.1\r\nA: b\r\n"), "a header line has a control character, or no CRLF" },
	};

	for (size_t i = 0; i < COUNT_OF(heads); i++) {
		struct buffer octets = { 0 };
		struct http_head head;
		struct http_fault fault;

		buffer_append(&octets, heads[i].octets.bytes, heads[i].octets.length);
		ck_assert_msg(!http_head_read(HTTP_KIND_REQUEST, &octets, false, &head, &fault), "row %zu", i);
		ck_assert_uint_eq(fault.status, 400);
		ck_assert_str_eq(fault.reason, heads[i].reason);
	}
}
END_TEST

START_TEST(own_answers_are_complete)
{
	const struct decision decision = { .verdict = VERDICT_BLOCK, .layer = LAYER_PROXY,
					   .rule = "blocked_urls[0] \"a\xc3\xbc\r\nX: y\"",
					   .reason = "the host is blocked" };
	struct buffer out = { 0 };

	answer_denied(DENIAL_PLAIN, &decision, (struct answer_form){ .keep_alive = true }, &out);
	ck_assert(!strncmp(buffer_string(&out), "HTTP/1.1 403 Forbidden\r\n", 24));
	ck_assert(strstr(buffer_string(&out), "\r\nX-Egressfw-Decision: block\r\n"));
	ck_assert(strstr(buffer_string(&out), "\r\nX-Egressfw-Rule: blocked_urls[0] \"a????X: y\"\r\n"));
	ck_assert(strstr(buffer_string(&out), "\"reason\":\"the host is blocked\""));
	ck_assert(!strstr(buffer_string(&out), "Connection: close"));
	buffer_free(&out);
	answer_denied(DENIAL_HIDDEN, &decision, (struct answer_form){ .head_only = true }, &out);
	ck_assert(!strncmp(buffer_string(&out), "HTTP/1.1 404 Not Found\r\n", 24));
	ck_assert(!strstr(buffer_string(&out), "gress") && !strstr(buffer_string(&out), "block"));
	ck_assert(strstr(buffer_string(&out), "Connection: close\r\n\r\n"));
	ck_assert_str_eq(buffer_string(&out) + out.length - 4, "\r\n\r\n");
	buffer_free(&out);
	answer_failed(502, "the server refuses the connection", (struct answer_form){ false, false }, &out);
	ck_assert(strstr(buffer_string(&out), "\r\n\r\n{\"error\":\"the server refuses"));
	buffer_free(&out);
}
END_TEST

START_TEST(what_was_received_is_told_without_secrets)
{
	static const char text[] = "TRACE http://a.test/?q HTTP/1.1\r\nhost: a.test\r\nMax-Forwards:  0 \r\n"
				   "COOKIE: c\r\nAuthorization: Basic eDp5\r\nProxy-Authorization: x\r\nA: b\r\n\r\n";
	struct buffer octets = { 0 }, out = { 0 };
	struct http_head head;
	struct http_fault fault;

	buffer_append_text(&octets, text);
	ck_assert(http_head_read(HTTP_KIND_REQUEST, &octets, false, &head, &fault));
	answer_final(&head, (struct answer_form){ .keep_alive = true }, &out);
	ck_assert_str_eq(buffer_string(&out),
			 "HTTP/1.1 200 OK\r\nContent-Type: message/http\r\nContent-Length: 72\r\n"
			 "Cache-Control: no-store\r\nConnection: keep-alive\r\n\r\n"
			 "TRACE http://a.test/?q HTTP/1.1\r\nhost: a.test\r\nMax-Forwards: 0\r\nA: b\r\n\r\n");
	buffer_free(&out);
	http_head_free(&head);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { every_answer_is_passed_on_or_refused, early_answer_closes_the_client,
				       fields_are_bounded, chunks_may_be_many,
				       nothing_goes_out_with_a_fault, heads_are_read_strictly,
				       own_answers_are_complete,
				       what_was_received_is_told_without_secrets };

	return suite_run("http_answer", tests, COUNT_OF(tests));
}
