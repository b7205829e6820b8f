/* http_verdict.c: what is said about a request here: judged, refused, denied. */
#include "filter/http_verdict.h"

#include "filter/answer.h"
#include "filter/http_reach.h"
#include "filter/http_relay.h"
#include "filter/judge.h"

#include <string.h>

/* The decision or, where it is in the log already, the end. */
static bool write_line(struct http *http)
{
	struct decision_log *log = http->client->filter->log;
	bool written =
		decision_log_write(log, http->logged ? RECORD_END : RECORD_DECISION, &http->record);

	http->logged = false;
	return written;
}

/*
 * Whether the connection can go on behind an answer of ours, which comes before the body was read.
 */
static struct answer_form form_of(const struct http *http)
{
	bool unsure = http->request.expects && http->requests.head.body != HTTP_BODY_NONE;

	return (struct answer_form){
		.keep_alive = http->request.method && http->request.keep_alive && !unsure,
		.head_only = http->request.method && !strcmp(http->request.method, "HEAD"),
	};
}

/* Behind an answer of ours: the rest of the request is thrown away, or the client is left. */
static void go_on(struct http *http, bool keep_alive)
{
	if (keep_alive && http->whole)
		http_relay_next(http);
	else
		http->phase = keep_alive ? HTTP_PHASE_DRAIN : HTTP_PHASE_LAST;
	http->drained = 0;
}

void http_verdict_log_is_full(struct http *http)
{
	answer_failed(503, REASON_LOG, (struct answer_form){ .keep_alive = false },
		      &http->down.out);
	http_side_close(&http->up);
	http->phase = HTTP_PHASE_LAST;
}

void http_verdict_deny(struct http *http)
{
	enum denial denial = http->client->filter->settings.denial;
	struct answer_form form = form_of(http);

	http->record.status = answer_denied_status(denial);
	if (!write_line(http)) {
		http_verdict_log_is_full(http);
		return;
	}
	answer_denied(denial, &http->record.decision, form, &http->down.out);
	go_on(http, form.keep_alive);
}

void http_verdict_fail(struct http *http, unsigned status, const char *reason)
{
	struct answer_form form = form_of(http);

	http->record.status = status;
	http->record.decision.reason = reason;
	if (!write_line(http)) {
		http_verdict_log_is_full(http);
		return;
	}
	answer_failed(status, reason, form, &http->down.out);
	go_on(http, form.keep_alive);
}

/* A record that knows no more than who asks, and in a tunnel for what. */
static void begin_record(struct http *http)
{
	client_record(http->client, &http->record);
	http->logged = false;
	if (!http->in_tunnel)
		return;
	record_set_target(&http->record, &http->tunnel.target);
	http->record.has_address = true;
	http->record.address = http->tunnel.address;
}

void http_verdict_note(struct http *http, const char *rule, const char *reason)
{
	if (!http->request.method)
		begin_record(http);
	decision_block(&http->record.decision, LAYER_HTTP, rule, reason);
	write_line(http);
}

void http_verdict_refuse(struct http *http, unsigned status, const char *rule, const char *reason)
{
	if (!http->request.method)
		begin_record(http);
	decision_block(&http->record.decision, LAYER_HTTP, rule, reason);
	http->record.status = status;
	if (!write_line(http)) {
		http_verdict_log_is_full(http);
		return;
	}
	answer_failed(status, reason, (struct answer_form){ .keep_alive = false }, &http->down.out);
	http_side_close(&http->up);
	http->phase = HTTP_PHASE_LAST;
}

/*
 * A question to the filter itself, which goes nowhere (RFC 9110, sections 9.3.7 and 7.6.2): whether
 * it answers.
 */
static bool is_check(const struct http_head *head)
{
	const struct http_field *field = http_head_find(head, "max-forwards", NULL);

	return http_text_is(head->method, "OPTIONS") && http_text_is(head->target, "*") && field &&
	       http_text_is(field->value, "0");
}

/* Why not is root's to know: it names a path. */
static void refuse_check(struct http *http)
{
	const struct record *record = &http->record;

	answer_unlogged(record->has_uid && !record->uid
				? decision_log_trouble(http->client->filter->log)
				: REASON_LOG,
			REASON_LOG, &http->down.out);
}

static void answer_check(struct http *http)
{
	struct decision_log *log = http->client->filter->log;
	bool has_room = decision_log_has_room(log);

	begin_record(http);
	http->record.decision = (struct decision){ .verdict = VERDICT_ALLOW,
						   .layer = LAYER_PROXY,
						   .rule = "check",
						   .reason = "the filter answers" };
	if (!has_room)
		http->record.decision.reason = REASON_LOG;
	http->record.method = "OPTIONS";
	http->record.status = has_room ? 204 : 503;
	http_side_close(&http->up);
	http->phase = HTTP_PHASE_LAST;
	/* This line may fit where the next request's would not. */
	if (decision_log_write(log, RECORD_CHECK, &http->record) && has_room)
		answer_checked(&http->down.out);
	else
		refuse_check(http);
}

/* It was judged, and goes no further. */
static void answer_here(struct http *http)
{
	const struct http_head *head = &http->requests.head;
	struct answer_form form = form_of(http);

	http->record.status = answer_final_status(head);
	http->record.decision.reason = "Max-Forwards is 0: the filter answers";
	if (!write_line(http)) {
		http_verdict_log_is_full(http);
		return;
	}
	answer_final(head, form, &http->down.out);
	go_on(http, form.keep_alive);
}

static void set_record(struct http *http)
{
	const struct http_request *request = &http->request;

	begin_record(http);
	record_set_target(&http->record, &request->target);
	http->record.method = request->method;
	http->record.path = request->target.path ? request->target.path
			    : request->odd_path  ? request->odd_path
						 : request->path;
	http->record.query = request->target.query;
}

void http_verdict_begin(struct http *http)
{
	const struct http_head *head = &http->requests.head;
	const struct target *tunnel = http->in_tunnel ? &http->tunnel.target : NULL;
	struct decision *decision = &http->record.decision;
	struct filter *filter = http->client->filter;
	struct http_fault fault;

	http->begun++;
	if (!tunnel && http_text_is(head->method, "CONNECT")) {
		http->phase = HTTP_PHASE_CONNECT;
		return;
	}
	if (!tunnel && is_check(head)) {
		answer_check(http);
		return;
	}
	if (!http_request_read(head, tunnel, &http->request, &fault)) {
		http_verdict_refuse(http, fault.status, "malformed", fault.reason);
		return;
	}
	set_record(http);
	if (http->request.agrees)
		judge(&filter->settings.policy, &http->request.target, decision);
	else
		decision_block(decision, LAYER_HTTP, "one name",
			       "the request names another host than CONNECT");
	if (decision->verdict != VERDICT_ALLOW)
		http_verdict_deny(http);
	else if (!decision_log_is_ready(filter->log))
		http_verdict_fail(http, 503, REASON_LOG);
	else if (http_request_ends_here(&http->request))
		answer_here(http);
	else
		http_reach(http);
}
