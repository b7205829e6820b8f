/* http_leave.c: how a client leaves the requests in clear: handed on, answered, or cut off. */
#include "filter/http_leave.h"

#include "filter/http_verdict.h"
#include "filter/sockets.h"
#include "filter/turn.h"

#include <stdlib.h>
#include <unistd.h>

/* Leaves the client alone, which may be gone. */
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
	turn_forget(http->client);
	note_unjudged(http, decision ? decision->rule : "malformed",
		      decision ? decision->reason : REASON_ENDED);
	end(http, decision, REASON_ENDED);
}

void http_leave_to_connect(struct http *http)
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

void http_leave_to_tunnel(struct http *http)
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
	/* The client is gone behind this where nothing can be written to it. */
	client_tunnel(client, upstream, &http->record, up.data + up_sent, up.length - up_sent,
		      down.data + down_sent, down.length - down_sent);
	http_free(http);
	buffer_free(&down);
	buffer_free(&up);
}

void http_leave(struct http *http)
{
	struct client *client = http->client;

	client_await(client, false);
	http_free(http);
	client_answer(client, "", 0);
}

void http_leave_abruptly(struct http *http, bool reset)
{
	struct client *client = http->client;

	note_unjudged(http, "malformed", REASON_GONE);
	if (reset)
		socket_reset(client->descriptor);
	end(http, NULL, "the client was gone before the answer had ended");
	client_close(client);
}
