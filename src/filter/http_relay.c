/* http_relay.c: a request on its way up, and its answer on its way down. */
#include "filter/http_relay.h"

#include "filter/http_reach.h"
#include "filter/http_verdict.h"
#include "system/resolver_question.h"

void http_relay_next(struct http *http)
{
	http_request_free(&http->request);
	http->whole = false;
	http->interims = 0;
	http->head_begun = false;
	http->since_ms = milliseconds_now();
	http->phase = HTTP_PHASE_HEAD;
}

/* Nobody may take for the whole what the client has of an answer. */
static void abandon(struct http *http, const char *reason)
{
	http->record.decision.reason = reason;
	http_exchange_log_end(http);
	http_side_close(&http->up);
	http->phase = HTTP_PHASE_ABORT;
}

static void fail(struct http *http, unsigned status, const char *reason)
{
	if (http->final) {
		abandon(http, reason);
		return;
	}
	http_side_close(&http->up);
	http_verdict_fail(http, status, reason);
}

/* The request's body: read, and written to the server. */
static bool step_up(struct http *http)
{
	size_t length, used, before = http->up.out.length;
	enum http_event event;
	struct http_fault fault;
	const uint8_t *octets;

	if (http->whole || http->up.broken || http_side_waiting(&http->up) >= http_room(http))
		return false;
	octets = http_side_unused(&http->down, &length);
	event = http_read(&http->requests, octets, length, &used, &http->up.out, &fault);
	http->record.bytes_up += http->up.out.length - before;
	http_side_use(&http->down, used);
	if (event == HTTP_EVENT_END) {
		http->whole = true;
		return true;
	}
	if (event == HTTP_EVENT_FAULT && !http->final)
		http_verdict_refuse(http, fault.status, "malformed", fault.reason);
	else if (event == HTTP_EVENT_FAULT)
		abandon(http, fault.reason);
	else if (http->down.ended && used == length)
		abandon(http, REASON_GONE);
	return used > 0 || http->phase != HTTP_PHASE_RELAY;
}

/* The final answer is whole. */
static void finish(struct http *http)
{
	size_t unasked;

	http_exchange_log_end(http);
	http_side_unused(&http->up, &unasked);
	if (!http->plan.keep_server || !http->whole || unasked || http->up.ended)
		http_side_close(&http->up);
	if (http->plan.keep_client && http->whole)
		http_relay_next(http);
	else
		http->phase = HTTP_PHASE_LAST;
}

/* Those that an old client is not given would keep nobody busy but us, for ever. */
static bool goes_on_and_on(struct http *http)
{
	enum { INTERIMS_MAX = 1000 };

	return http->answers.head.status < 200 && ++http->interims > INTERIMS_MAX;
}

static void on_answer_head(struct http *http)
{
	const struct http_head *head = &http->answers.head;
	size_t before = http->down.out.length;
	struct http_fault fault;

	if (!http_answer_plan(head, &http->requests.head, &http->request, http->whole, &http->plan,
			      &fault)) {
		fail(http, 502, fault.reason);
		return;
	}
	if (goes_on_and_on(http)) {
		fail(http, 502, "the server sends one interim answer after the other");
		return;
	}
	http->record.status = head->status;
	http->answers.plain = http->plan.plain;
	http_answer_write(head, &http->plan, &http->down.out);
	http->record.bytes_down += http->down.out.length - before;
	if (http->plan.relay == HTTP_RELAY_UPGRADE)
		http->phase = HTTP_PHASE_UPGRADE;
	http->final = http->plan.relay == HTTP_RELAY_FINAL;
}

/* The server has said its last: that ends some answers, and breaks the others. */
static void on_answer_end(struct http *http)
{
	struct http_fault fault = { 502, "the server closed without an answer" };
	enum http_event event = http_read_end(&http->answers, &fault);

	if (event == HTTP_EVENT_END)
		finish(http);
	else if (http->answered || !http_reach_again(http))
		fail(http, 502, fault.reason);
}

static bool step_down(struct http *http)
{
	size_t length, used, before = http->down.out.length;
	enum http_event event;
	struct http_fault fault;
	const uint8_t *octets;

	if (http_side_waiting(&http->down) >= http_room(http))
		return false;
	octets = http_side_unused(&http->up, &length);
	event = http_read(&http->answers, octets, length, &used, &http->down.out, &fault);
	http->record.bytes_down += http->down.out.length - before;
	http->answered = http->answered || used > 0;
	http_side_use(&http->up, used);
	switch (event) {
	case HTTP_EVENT_MORE:
		if (!http->up.ended || used < length)
			return used > 0;
		on_answer_end(http);
		break;
	case HTTP_EVENT_HEAD:
		on_answer_head(http);
		break;
	case HTTP_EVENT_END:
		if (http->plan.relay == HTTP_RELAY_FINAL)
			finish(http);
		break;
	case HTTP_EVENT_FAULT:
		fail(http, 502, fault.reason);
		break;
	}
	return true;
}

bool http_relay_step(struct http *http)
{
	bool moved = step_up(http);

	return (http->phase == HTTP_PHASE_RELAY && step_down(http)) || moved;
}

void http_relay_late(struct http *http)
{
	if (!http->final && !http->whole && !http_side_waiting(&http->up))
		http_verdict_refuse(http, 408, "limits",
				    "the request's body paused for longer than limits.idle_ms");
	else
		fail(http, 504, "the server was silent for longer than limits.idle_ms");
}
