/* http_exchange.c: one request after the other, each judged, sent on and answered. */
#include "filter/http_exchange.h"

#include "filter/answer.h"
#include "filter/http_relay.h"
#include "filter/http_verdict.h"

#include "system/resolver_question.h"

#include <string.h>

bool http_exchange_is_active(const struct http *http)
{
	return http->phase == HTTP_PHASE_DIAL || http->phase == HTTP_PHASE_RELAY;
}

void http_exchange_log_end(struct http *http)
{
	if (!http->logged)
		return;
	/* What failed to be written is counted there, and refuses what comes. */
	decision_log_write(http->client->filter->log, RECORD_END, &http->record);
	http->logged = false;
}

/* The client said its last where a request could begin. */
static void leave(struct http *http)
{
	if (http_reader_is_within(&http->requests))
		http_verdict_note(http, "malformed", REASON_GONE);
	http->phase = HTTP_PHASE_LAST;
}

static bool step_head(struct http *http)
{
	struct buffer none = { 0 };
	struct http_fault fault;
	const uint8_t *octets;
	size_t length, used;

	octets = http_side_unused(&http->down, &length);
	/* Whoever takes no answers is given no more of them. */
	if ((!length && !http->down.ended) || http_side_waiting(&http->down) >= http_room(http))
		return false;
	if (!length) {
		leave(http);
		return true;
	}
	switch (http_read(&http->requests, octets, length, &used, &none, &fault)) {
	case HTTP_EVENT_MORE:
	case HTTP_EVENT_END:
		break;
	case HTTP_EVENT_HEAD:
		http_side_use(&http->down, used);
		http_verdict_begin(http);
		return true;
	case HTTP_EVENT_FAULT:
		http_verdict_refuse(http, fault.status,
				    fault.status == 431 ? "limits" : "malformed", fault.reason);
		return true;
	}
	http_side_use(&http->down, used);
	if (!http->head_begun)
		http->since_ms = milliseconds_now();
	http->head_begun = true;
	return true;
}

/* A denied body is read to its end if it is small; else the connection ends here. */
static bool step_drain(struct http *http)
{
	enum { DRAINED_MAX = 256 * 1024 };
	struct buffer thrown = { 0 };
	enum http_event event;
	struct http_fault fault;
	const uint8_t *octets;
	size_t length, used;

	octets = http_side_unused(&http->down, &length);
	event = http_read(&http->requests, octets, length, &used, &thrown, &fault);
	http->drained += thrown.length;
	buffer_free(&thrown);
	http_side_use(&http->down, used);
	if (event == HTTP_EVENT_END) {
		http_relay_next(http);
		return true;
	}
	if (event == HTTP_EVENT_FAULT || http->down.ended || http->drained > DRAINED_MAX)
		http->phase = HTTP_PHASE_LAST;
	return used > 0 || http->phase == HTTP_PHASE_LAST;
}

bool http_exchange_step(struct http *http)
{
	switch (http->phase) {
	case HTTP_PHASE_HEAD:
		return step_head(http);
	case HTTP_PHASE_RELAY:
		return http_relay_step(http);
	case HTTP_PHASE_DRAIN:
		return step_drain(http);
	case HTTP_PHASE_DIAL:
	case HTTP_PHASE_CONNECT:
	case HTTP_PHASE_UPGRADE:
	case HTTP_PHASE_LAST:
	case HTTP_PHASE_ABORT:
		break;
	}
	return false;
}

void http_exchange_late(struct http *http)
{
	switch (http->phase) {
	case HTTP_PHASE_HEAD:
		if (http_reader_is_within(&http->requests))
			http_verdict_refuse(http, 408, "limits",
					    "the request's head took longer than limits.head_ms");
		else
			http->phase = HTTP_PHASE_LAST;
		break;
	case HTTP_PHASE_RELAY:
		http_relay_late(http);
		break;
	case HTTP_PHASE_DRAIN:
		http->phase = HTTP_PHASE_LAST;
		break;
	case HTTP_PHASE_DIAL:
		/* Which has a limit of its own. */
		http->since_ms = milliseconds_now();
		break;
	case HTTP_PHASE_CONNECT:
	case HTTP_PHASE_UPGRADE:
	case HTTP_PHASE_LAST:
	case HTTP_PHASE_ABORT:
		/* The client does not take what is sent. */
		http->phase = HTTP_PHASE_ABORT;
		break;
	}
}
