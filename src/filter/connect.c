/* connect.c: the first request of a client: a CONNECT is judged, dialled and answered here. */
#include "filter/connect.h"

#include "base/memory.h"
#include "filter/answer.h"
#include "filter/hello.h"
#include "filter/http.h"
#include "filter/http_reader.h"
#include "filter/http_request.h"
#include "filter/judge.h"
#include "filter/reading.h"
#include "system/resolver_question.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct connect {
	struct client *client;
	struct reading reading;
	struct http_reader reader;
	bool known;         /* it is CONNECT */
	size_t head_length; /* octets of `reading` that the reader has seen */
	struct dial *dial;
	struct target target;
	struct record record;
};

static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
static const struct answer_form last = { .keep_alive = false };

static void connect_free(struct connect *connect)
{
	if (connect->dial)
		dial_cancel(connect->dial);
	reading_free(&connect->reading);
	http_reader_free(&connect->reader);
	free(connect);
}

static bool has_begun(const struct connect *connect)
{
	return connect->reading.octets.length || http_reader_is_within(&connect->reader);
}

/* What of a request came was not judged, and is in the log all the same. */
static void note(struct connect *connect, const char *rule, const char *reason)
{
	if (!has_begun(connect))
		return;
	decision_block(&connect->record.decision, LAYER_PROXY, rule, reason);
	decision_log_write(connect->client->filter->log, RECORD_DECISION, &connect->record);
}

void connect_stop(struct connect *connect, const struct decision *decision)
{
	struct record *record = &connect->record;

	if (connect->dial) {
		record->decision.reason = REASON_ENDED;
		if (decision)
			record->decision = *decision;
		decision_log_write(connect->client->filter->log, RECORD_DECISION, record);
	} else {
		note(connect, decision ? decision->rule : "malformed",
		     decision ? decision->reason : REASON_ENDED);
	}
	connect_free(connect);
}

const struct target *connect_target(const struct connect *connect)
{
	return connect->dial ? &connect->target : NULL;
}

/* What the client gets as its last answer, once the line is written. */
static void answer(struct connect *connect, struct buffer *text)
{
	struct client *client = connect->client;

	if (!decision_log_write(client->filter->log, RECORD_DECISION, &connect->record)) {
		text->length = 0;
		answer_failed(503, REASON_LOG, last, text);
	}
	client_await(client, false);
	connect_free(connect);
	client_answer(client, text->data, text->length);
	buffer_free(text);
}

/* A decision of the policy. */
static void deny(struct connect *connect)
{
	enum denial denial = connect->client->filter->settings.denial;
	struct buffer text = { 0 };

	connect->record.status = answer_denied_status(denial);
	answer_denied(denial, &connect->record.decision, last, &text);
	answer(connect, &text);
}

/* A fault of the request, of a server, or a limit of ours. */
static void fail(struct connect *connect, unsigned status, const char *reason)
{
	struct buffer text = { 0 };

	connect->record.status = status;
	connect->record.decision.reason = reason;
	answer_failed(status, reason, last, &text);
	answer(connect, &text);
}

/* What cannot be judged is blocked. */
static void refuse(struct connect *connect, unsigned status, const char *rule, const char *reason)
{
	decision_block(&connect->record.decision, LAYER_PROXY, rule, reason);
	fail(connect, status, reason);
}

/* 200, and what comes then is hello.c's. */
static void go_on(struct connect *connect, const struct dial_result *result)
{
	struct client *client = connect->client;
	const struct buffer *octets = &connect->reading.octets;
	struct http_tunnel tunnel = {
		.target = connect->target,
		.upstream = result->descriptor,
		.address = result->address,
		.decision = connect->record.decision,
	};
	ssize_t sent = send(client->descriptor, established, sizeof(established) - 1, MSG_NOSIGNAL);

	if (sent != sizeof(established) - 1) {
		close(result->descriptor);
		connect->record.decision.reason = "the client is gone";
		decision_log_write(client->filter->log, RECORD_DECISION, &connect->record);
		connect_free(connect);
		client_close(client);
		return;
	}
	hello_start(client, &tunnel, connect->record.began_ms, octets->data + connect->head_length,
		    octets->length - connect->head_length);
	connect_free(connect);
}

static void on_dialled(void *context, const struct dial_result *result)
{
	struct connect *connect = context;

	connect->dial = NULL;
	connect->record.has_address = result->has_address;
	connect->record.address = result->address;
	if (result->status == DIAL_FORBIDDEN) {
		connect->record.decision = result->decision;
		deny(connect);
	} else if (result->status != DIAL_CONNECTED) {
		fail(connect, dial_answer_status(result->status), result->reason);
	} else if (!decision_log_is_ready(connect->client->filter->log)) {
		close(result->descriptor);
		refuse(connect, 503, "log", REASON_LOG);
	} else {
		go_on(connect, result);
	}
}

static void begin(struct connect *connect)
{
	struct filter *filter = connect->client->filter;
	struct record *record = &connect->record;

	reading_pause(&connect->reading);
	client_await(connect->client, false);
	record->began_ms = milliseconds_now();
	record->method = "CONNECT";
	record_set_target(record, &connect->target);
	judge(&filter->settings.policy, &connect->target, &record->decision);
	if (record->decision.verdict == VERDICT_ALLOW)
		connect->dial = dial_start(filter, connect->client->share, &connect->target,
					   on_dialled, connect);
	else
		deny(connect);
}

static void hand_to_http(struct connect *connect)
{
	struct client *client = connect->client;
	const struct buffer *octets = &connect->reading.octets;

	reading_stop(&connect->reading);
	client_await(client, false);
	http_start(client, NULL, octets->data, octets->length);
	connect_free(connect);
}

/* The head is whole. */
static void take_head(struct connect *connect)
{
	struct http_request request;
	struct http_fault fault;

	if (!http_request_read(&connect->reader.head, NULL, &request, &fault)) {
		refuse(connect, fault.status, "malformed", fault.reason);
		return;
	}
	connect->target = request.target;
	http_request_free(&request);
	begin(connect);
}

static void read_head(struct connect *connect)
{
	const struct buffer *octets = &connect->reading.octets;
	static const char method[] = "CONNECT ";
	size_t known = octets->length < sizeof(method) - 1 ? octets->length : sizeof(method) - 1;
	struct buffer none = { 0 };
	struct http_fault fault;
	enum http_event event;
	size_t used;

	if (!connect->known && memcmp(octets->data, method, known)) {
		hand_to_http(connect);
		return;
	}
	connect->known = connect->known || known == sizeof(method) - 1;
	event = http_read(&connect->reader, octets->data + connect->head_length,
			  octets->length - connect->head_length, &used, &none, &fault);
	connect->head_length += used;
	/*
	 * The reader has its own copy of a head; only what turns out to be none must be handed on.
	 */
	if (event == HTTP_EVENT_MORE && connect->known) {
		buffer_free(&connect->reading.octets);
		connect->head_length = 0;
	}
	if (event == HTTP_EVENT_HEAD)
		take_head(connect);
	else if (event == HTTP_EVENT_FAULT)
		refuse(connect, fault.status, fault.status == 431 ? "limits" : "malformed",
		       fault.reason);
}

/* A client that says nothing at all has asked for nothing. */
static void leave(struct connect *connect, unsigned status, const char *reason)
{
	struct client *client = connect->client;

	if (has_begun(connect) && status) {
		refuse(connect, status, "limits", reason);
		return;
	}
	note(connect, "malformed", reason);
	connect_free(connect);
	client_close(client);
}

static void on_reading(void *context, enum reading_outcome outcome)
{
	switch (outcome) {
	case READING_SOME:
		read_head(context);
		break;
	case READING_FULL:
		leave(context, 431, "the request's head is larger than limits.header_bytes");
		break;
	case READING_LATE:
		leave(context, 408, "the request's head took longer than limits.head_ms");
		break;
	case READING_ENDED:
	case READING_BROKEN:
		leave(context, 0, REASON_GONE);
		break;
	}
}

void connect_start(struct client *client, const void *octets, size_t length)
{
	const struct limits *limits = &client->filter->settings.limits;
	struct connect *connect = memory_allocate(1, sizeof(*connect));

	connect->client = client;
	client_record(client, &connect->record);
	http_reader_start(&connect->reader, HTTP_KIND_REQUEST, limits->header_bytes);
	client->part = CLIENT_CONNECT;
	client->connect = connect;
	client_await(client, true);
	reading_start(&connect->reading, client, limits->header_bytes, limits->head_ms, octets,
		      length, on_reading, connect);
}
