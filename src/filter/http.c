/* http.c: requests in clear on a client's connection, read, judged and forwarded one by one. */
#include "filter/http.h"

#include "base/memory.h"
#include "filter/http_exchange.h"
#include "filter/http_leave.h"
#include "filter/timer.h"
#include "filter/turn.h"
#include "system/resolver_question.h"

/*
 * A client that sends one request behind the other has so many of them answered before others have
 * their turn: what is refused needs nobody to wait for.
 */
enum { TURN_REQUESTS = 4 };

const struct target *http_target(const struct http *http)
{
	return http_exchange_is_active(http) ? &http->request.target : NULL;
}

const struct address *http_address(const struct http *http)
{
	return http->phase == HTTP_PHASE_RELAY ? &http->up_address : NULL;
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

void http_turn_later(struct http *http)
{
	client_await(http->client, false);
	http_side_wait(&http->down, false);
	event_del(&http->timer);
	turn_later(http->client);
}

static bool may_go_on(const struct http *http)
{
	return !http->down.broken &&
	       (http->phase != HTTP_PHASE_HEAD || http->begun < TURN_REQUESTS);
}

void http_turn(struct http *http)
{
	turn_forget(http->client);
	http->begun = 0;
	/* All that can be said is said in one piece; what goes out makes room for more. */
	do {
		while (may_go_on(http) && http_exchange_step(http))
			;
	} while (send_both(http) && may_go_on(http));
	if (http->down.broken)
		http_leave_abruptly(http, false);
	else if (!may_go_on(http))
		http_turn_later(http);
	else if (http->phase == HTTP_PHASE_ABORT)
		http_leave_abruptly(http, true);
	else if (http->phase == HTTP_PHASE_UPGRADE)
		http_leave_to_tunnel(http);
	else if (http->phase == HTTP_PHASE_CONNECT && !http_side_waiting(&http->down))
		http_leave_to_connect(http);
	else if (http->phase == HTTP_PHASE_LAST && !http_side_waiting(&http->down))
		http_leave(http);
	else
		wait_more(http);
}

static void on_readable(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;
	struct filter *filter = http->client->filter;

	(void)descriptor;
	if (!turn_begin(http->client, what))
		return;
	if (http_side_receive(&http->down, http_room(http)) && http->phase != HTTP_PHASE_HEAD)
		http->since_ms = milliseconds_now();
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
	http_turn(http);
	turn_end(filter);
}

static void on_timer(evutil_socket_t descriptor, short what, void *context)
{
	struct http *http = context;

	(void)descriptor;
	(void)what;
	if (awaits_server_alone(http) && client_is_gone(http->client)) {
		http_leave_abruptly(http, false);
		return;
	}
	if (milliseconds_now() >= http->since_ms + limit_ms(http))
		http_exchange_late(http);
	http_turn(http);
}

void http_resume(struct http *http)
{
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
	event_active(&http->down.writable, EV_TIMEOUT, 0);
}
