/* http.c: requests in clear on a client's connection, read, judged and forwarded one by one. */
#include "filter/http.h"

#include "base/memory.h"
#include "filter/http_exchange.h"
#include "filter/http_verdict.h"
#include "filter/timer.h"
#include "system/resolver_question.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * A client that sends one request behind the other has so many of them answered before others have
 * their turn: what is refused needs nobody to wait for.
 */
enum { TURN_REQUESTS = 4 };

/* The client may be gone by then. */
static void http_free(struct http *http)
{
	event_del(&http->timer);
	if (http->dial)
		dial_cancel(http->dial);
	if (http->in_tunnel && http->tunnel.upstream >= 0)
		close(http->tunnel.upstream);
	http_side_release(&http->down);
	http_side_close(&http->down);
	http_side_close(&http->up);
	http_request_free(&http->request);
	http_reader_free(&http->requests);
	http_reader_free(&http->answers);
	free(http);
}

/* Every request has its line, and every one that was sent on another one. */
static void end(struct http *http, const struct decision *decision, const char *reason)
{
	struct record *record = &http->record;

	if (http_exchange_is_active(http)) {
		record->decision.reason = reason;
		if (decision)
			record->decision = *decision;
	}
	if (http->phase == HTTP_PHASE_DIAL && !http->logged)
		decision_log_write(http->client->filter->log, RECORD_DECISION, record);
	http_exchange_log_end(http);
	http_free(http);
}

/* Of what the client asked for, and nobody has judged, there is a line as well. */
static void note_unjudged(struct http *http, const char *rule, const char *reason)
{
	size_t unused;

	http_side_unused(&http->down, &unused);
	if (http->phase == HTTP_PHASE_CONNECT ||
	    (http->phase == HTTP_PHASE_HEAD && (unused || http_reader_is_within(&http->requests))))
		http_verdict_note(http, rule, reason);
}

void http_stop(struct http *http, const struct decision *decision)
{
	static const char ended[] = "the filter was ended";

	note_unjudged(http, decision ? decision->rule : "malformed",
		      decision ? decision->reason : ended);
	end(http, decision, ended);
}

const struct target *http_target(const struct http *http)
{
	return http_exchange_is_active(http) ? &http->request.target : NULL;
}

const struct address *http_address(const struct http *http)
{
	return http->phase == HTTP_PHASE_RELAY ? &http->up_address : NULL;
}

/* The client is handed on, with what was read of it and not used. */
static void hand_on_connect(struct http *http)
{
	struct client *client = http->client;
	struct buffer octets = http->requests.head.octets;
	const uint8_t *rest;
	size_t length;

	http->requests.head.octets = (struct buffer){ 0 };
	rest = http_side_unused(&http->down, &length);
	buffer_append(&octets, rest, length);
	client_await(client, false);
	http_free(http);
	client_request(client, octets.data, octets.length);
	buffer_free(&octets);
}

static void hand_on_upgrade(struct http *http)
{
	struct client *client = http->client;
	struct buffer down = http->down.out, up = http->up.out;
	size_t down_sent = http->down.out_sent, up_sent = http->up.out_sent, length;
	int upstream = http_side_release(&http->up);
	const uint8_t *rest;

	http->down.out = http->up.out = (struct buffer){ 0 };
	rest = http_side_unused(&http->up, &length);
	buffer_append(&down, rest, length);
	rest = http_side_unused(&http->down, &length);
	buffer_append(&up, rest, length);
	http_side_release(&http->down);
	client_await(client, false);
	/* Which ends it at once where it cannot be written to. */
	client_tunnel(client, upstream, &http->record, up.data + up_sent, up.length - up_sent,
		      down.data + down_sent, down.length - down_sent);
	http_free(http);
	buffer_free(&down);
	buffer_free(&up);
}

static void leave(struct http *http)
{
	struct client *client = http->client;

	client_await(client, false);
	http_free(http);
	client_answer(client, "", 0);
}

static void abort_client(struct http *http, bool reset)
{
	const struct linger now = { .l_onoff = 1 };
	struct client *client = http->client;

	note_unjudged(http, "malformed", "the client was gone before its request had ended");
	if (reset)
		setsockopt(client->descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	end(http, NULL, "the client was gone before the answer had ended");
	client_close(client);
}

/* Whether octets of the client are awaited: not while those that came wait for something else. */
static bool wants_client(const struct http *http)
{
	size_t unused;

	http_side_unused(&http->down, &unused);
	switch (http->phase) {
	case HTTP_PHASE_HEAD:
	case HTTP_PHASE_DRAIN:
		return http_side_waiting(&http->down) < http_room(http);
	case HTTP_PHASE_DIAL:
		return unused < http_room(http);
	case HTTP_PHASE_RELAY:
		return unused < http_room(http) && http_side_waiting(&http->up) < http_room(http);
	case HTTP_PHASE_CONNECT:
	case HTTP_PHASE_UPGRADE:
	case HTTP_PHASE_LAST:
	case HTTP_PHASE_ABORT:
		break;
	}
	return false;
}

/*
 * A head is given a time as a whole; so is a last answer, since the client gives nothing more for
 * it.
 */
static uint64_t limit_ms(const struct http *http)
{
	const struct limits *limits = &http->client->filter->settings.limits;
	bool head = http->phase == HTTP_PHASE_HEAD && http->head_begun;

	return head || http->phase == HTTP_PHASE_LAST ? limits->head_ms : limits->idle_ms;
}

/* Nothing more comes of the client, which may have left: its request is with the server already. */
static bool awaits_server_alone(const struct http *http)
{
	return http->phase == HTTP_PHASE_RELAY && http->whole && http->down.ended &&
	       !http_side_waiting(&http->up);
}

static void wait_more(struct http *http)
{
	uint64_t until = http->since_ms + limit_ms(http), now = milliseconds_now();
	uint64_t left = until > now ? until - now : 0;

	http->yields = false;
	if (awaits_server_alone(http) && left > CLIENT_GONE_MS)
		left = CLIENT_GONE_MS;
	client_await(http->client,
		     http->phase == HTTP_PHASE_HEAD && !http_side_waiting(&http->down));
	http_side_wait(&http->down, wants_client(http));
	http_side_wait(&http->up, http_side_waiting(&http->down) < http_room(http));
	timer_set(&http->timer, left);
}

/* Whether anything went out. */
static bool send_both(struct http *http)
{
	bool sent = http_side_send(&http->down) > 0;

	if (http->up.descriptor >= 0 && http_side_send(&http->up))
		sent = true;
	if (sent)
		http->since_ms = milliseconds_now();
	return sent && !http->down.broken;
}

/* By a timer: what is made active is called before anybody else is looked after. */
static void yield(struct http *http)
{
	http->yields = true;
	client_await(http->client, false);
	http_side_wait(&http->down, false);
	timer_set(&http->timer, 0);
}

static bool may_go_on(const struct http *http)
{
	return !http->down.broken &&
	       (http->phase != HTTP_PHASE_HEAD || http->begun < TURN_REQUESTS);
}

void http_turn(struct http *http)
{
	http->begun = 0;
	/* All that can be said is said in one piece; what goes out makes room for more. */
	do {
		while (may_go_on(http) && http_exchange_step(http))
			;
	} while (send_both(http) && may_go_on(http));
	if (http->down.broken)
		abort_client(http, false);
	else if (!may_go_on(http))
		yield(http);
	else if (http->phase == HTTP_PHASE_ABORT)
		abort_client(http, true);
	else if (http->phase == HTTP_PHASE_UPGRADE)
		hand_on_upgrade(http);
	else if (http->phase == HTTP_PHASE_CONNECT && !http_side_waiting(&http->down))
		hand_on_connect(http);
	else if (http->phase == HTTP_PHASE_LAST && !http_side_waiting(&http->down))
		leave(http);
	else
		wait_more(http);
}

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;

	(void)descriptor;
	(void)what;
	if (http_side_receive(&http->down, http_room(http)) && http->phase != HTTP_PHASE_HEAD)
		http->since_ms = milliseconds_now();
	http_turn(http);
}

static void on_writable(evutil_socket_t descriptor, short what, void *context)
{
	(void)descriptor;
	(void)what;
	http_turn(context);
}

static void on_timer(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;

	(void)descriptor;
	(void)what;
	if (awaits_server_alone(http) && client_is_gone(http->client)) {
		abort_client(http, false);
		return;
	}
	if (!http->yields && milliseconds_now() >= http->since_ms + limit_ms(http))
		http_exchange_late(http);
	http_turn(http);
}

void http_start(struct client *client, const struct http_tunnel *tunnel, const void *octets,
		size_t length)
{
	struct event_base *base = client->filter->base;
	struct http *http = memory_allocate(1, sizeof(*http));

	http->client = client;
	http->in_tunnel = tunnel != NULL;
	http->tunnel = tunnel ? *tunnel : (struct http_tunnel){ .upstream = -1 };
	http->since_ms = milliseconds_now();
	http_reader_start(&http->requests, HTTP_KIND_REQUEST,
			  client->filter->settings.limits.header_bytes);
	http_reader_start(&http->answers, HTTP_KIND_ANSWER, 0);
	http_side_open(&http->down, base, client->descriptor, on_readable, on_writable, http);
	http_side_clear(&http->up);
	evtimer_assign(&http->timer, base, on_timer, http);
	buffer_append(&http->down.in, octets, length);
	client->part = CLIENT_HTTP;
	client->http = http;
	/* The caller still holds what it hands over: the octets are looked at by an event. */
	http_side_wait(&http->down, true);
	event_active(&http->down.writable, EV_WRITE, 0);
}
