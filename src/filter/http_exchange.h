/* http_exchange.h: one request after the other, each judged, sent on and answered; for http.c alone. */
#ifndef EGRESSFW_FILTER_HTTP_EXCHANGE_H
#define EGRESSFW_FILTER_HTTP_EXCHANGE_H

#include "filter/http.h"
#include "filter/http_answer.h"
#include "filter/http_reader.h"
#include "filter/http_side.h"

/*
 * Theory of operation. Requests of one client are dealt with one by one: the next head is not
 * looked at before the answer to the last one is whole, so answers are in order, and each request
 * is judged by itself. What happens next depends on the phase alone; http.c calls
 * http_exchange_step() until nothing moves, then waits for what would make something move.
 */
enum http_phase {
	HTTP_PHASE_HEAD,    /* a request's head is awaited or read; the upstream, if any, is idle */
	HTTP_PHASE_DIAL,    /* its server is being dialled */
	HTTP_PHASE_RELAY,   /* the request goes up, its answer comes down */
	HTTP_PHASE_DRAIN,   /* it was answered here; its body is thrown away */
	HTTP_PHASE_CONNECT, /* it is CONNECT: connect.c's, once all answers are sent */
	HTTP_PHASE_UPGRADE, /* it has become a websocket: tunnel.c's */
	HTTP_PHASE_LAST,    /* nothing more is read; the client is left once all is sent */
	HTTP_PHASE_ABORT,   /* the client must not take what it has for the whole */
};

struct http {
	struct client *client;
	bool in_tunnel;
	struct http_tunnel tunnel;
	enum http_phase phase;
	struct http_side down, up; /* client and server */
	struct target up_target;   /* of up: path and query NULL */
	struct address up_address;
	struct http_reader requests, answers;
	struct dial *dial;

	/* The request of the phases DIAL to DRAIN. */
	struct http_request request;
	struct record record;
	bool logged;   /* its decision is in the log */
	bool whole;    /* the request's body has been read to its end */
	bool answered; /* octets of an answer came */
	bool final;    /* the head of the final answer has been sent on */
	bool reused;   /* its connection served another request before */
	unsigned interims;
	struct http_relay_plan plan;
	uint64_t drained;

	struct event timer;
	uint64_t since_ms; /* when something moved; of a head, when it began */
	bool head_begun;
	unsigned begun; /* requests of this turn */
};

/*
 * How many octets may wait on a side: the more clients the user has the fewer, since each may have
 * a server that takes nothing, or take nothing itself.
 */
static inline size_t http_room(const struct http *http)
{
	enum { ROOM_OF_ALL = 32 * 1024 * 1024, ROOM_LEAST = 4 * 1024 };
	const struct client *client = http->client;
	size_t room = ROOM_OF_ALL / client->filter->shares.count / client->share->clients;

	return room > HTTP_SIDE_ROOM ? HTTP_SIDE_ROOM : room < ROOM_LEAST ? ROOM_LEAST : room;
}

/* One step of the phase. False: nothing moved. */
bool http_exchange_step(struct http *http);

/* The time of the phase is over. */
void http_exchange_late(struct http *http);

/* The line about the end of the exchange that is under way, where one is due. */
void http_exchange_log_end(struct http *http);

/* Whether an exchange that was allowed is under way. */
bool http_exchange_is_active(const struct http *http);

/*
 * By http.c, for an event of another module: steps until nothing moves, then waits. May free
 * `http`.
 */
void http_turn(struct http *http);

/* The same soon, when it is the client's turn (turn.h). */
void http_turn_later(struct http *http);

#endif
