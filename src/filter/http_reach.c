/* http_reach.c: the connection to the server of a request: the last one's again, or a new one. */
#include "filter/http_reach.h"

#include "filter/http_verdict.h"
#include "filter/judge.h"
#include "filter/turn.h"

#include "system/resolver_question.h"

#include <string.h>
#include <unistd.h>

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;
	struct filter *filter = http->client->filter;

	(void)descriptor;
	if (!turn_begin(http->client, what))
		return;
	if (http_side_receive(&http->up, http_room(http)))
		http->since_ms = milliseconds_now();
	/* What comes unasked answers nothing; a server that closes has done with us. */
	if (http->phase != HTTP_PHASE_RELAY)
		http_side_close(&http->up);
	http_turn(http);
	turn_end(filter);
}

static void on_writable(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;
	struct filter *filter = http->client->filter;

	(void)descriptor;
	if (!turn_begin(http->client, what))
		return;
	if (http_side_send(&http->up))
		http->since_ms = milliseconds_now();
	http_turn(http);
	turn_end(filter);
}

static void send_head(struct http *http, bool reused)
{
	const struct limits *limits = &http->client->filter->settings.limits;
	size_t before = http->up.out.length;

	http->record.has_address = true;
	http->record.address = http->up_address;
	/* A second attempt has its line already. */
	if (!http->logged &&
	    !decision_log_write(http->client->filter->log, RECORD_DECISION, &http->record)) {
		http_verdict_log_is_full(http);
		return;
	}
	http->logged = true;
	http->reused = reused;
	http_request_write(&http->requests.head, &http->request, &http->up.out);
	http->record.bytes_up = http->up.out.length - before;
	http_reader_free(&http->answers);
	http_reader_start(&http->answers, HTTP_KIND_ANSWER, limits->header_bytes);
	http->answers.to_head = !strcmp(http->request.method, "HEAD");
	http->answered = http->final = false;
	http->since_ms = milliseconds_now();
	http->phase = HTTP_PHASE_RELAY;
}

static void open_up(struct http *http, int descriptor, const struct address *address)
{
	struct target *target = &http->up_target;

	http_side_open(&http->up, http->client->filter->base, descriptor, on_readable, on_writable,
		       http);
	memcpy(target->host, http->request.target.host, sizeof(target->host));
	target->address = http->request.target.address;
	target->port = http->request.target.port;
	http->up_address = *address;
}

static void on_dialled(void *context, const struct dial_result *result)
{
	struct http *http = context;

	http->dial = NULL;
	http->record.has_address = result->has_address;
	http->record.address = result->address;
	if (result->status == DIAL_FORBIDDEN) {
		http->record.decision = result->decision;
		http_verdict_deny(http);
	} else if (result->status != DIAL_CONNECTED) {
		http_verdict_fail(http, dial_answer_status(result->status), result->reason);
	} else {
		open_up(http, result->descriptor, &result->address);
		send_head(http, false);
	}
	http_turn_later(http);
}

static void dial(struct http *http)
{
	http_side_close(&http->up);
	http->phase = HTTP_PHASE_DIAL;
	http->dial = dial_start(http->client->filter, http->client->share, &http->request.target,
				on_dialled, http);
}

/* The policy may be another one than when the name's address was dialled. */
static bool may_lead_to(const struct http *http, const struct address *address)
{
	const struct target *target = &http->request.target;
	struct decision ignored;

	return !target->host[0] ||
	       judge_address(&http->client->filter->settings.policy, target, address, &ignored);
}

/* The connection that served the last request serves this one if it leads to the same place. */
static bool can_reuse(const struct http *http)
{
	const struct target *have = &http->up_target, *want = &http->request.target;

	return may_lead_to(http, &http->up_address) && http->up.descriptor >= 0 &&
	       !http->up.ended && !http->up.broken && have->port == want->port &&
	       !strcmp(have->host, want->host) &&
	       (have->host[0] || !address_compare(&have->address, &want->address));
}

void http_reach(struct http *http)
{
	/* The one that CONNECT dialled is new, and was dialled to the same place. */
	if (http->in_tunnel && http->tunnel.upstream >= 0 &&
	    may_lead_to(http, &http->tunnel.address)) {
		open_up(http, http->tunnel.upstream, &http->tunnel.address);
		http->tunnel.upstream = -1;
		send_head(http, false);
	} else if (can_reuse(http)) {
		send_head(http, true);
	} else {
		dial(http);
	}
}

bool http_reach_again(struct http *http)
{
	static const char *const harmless[] = { "GET", "HEAD", "OPTIONS", "PROPFIND", "TRACE" };

	if (!http->reused || http->answered || http->requests.head.body != HTTP_BODY_NONE)
		return false;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		if (strcmp(http->request.method, harmless[i]))
			continue;
		dial(http);
		return true;
	}
	return false;
}
