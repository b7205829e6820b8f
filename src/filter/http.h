/* http.h: requests in clear on a client's connection, read, judged and forwarded one by one. */
#ifndef EGRESSFW_FILTER_HTTP_H
#define EGRESSFW_FILTER_HTTP_H

#include "filter/client.h"

/* The tunnel in which requests in clear stand: one name only. */
struct http_tunnel {
	struct target target;     /* of CONNECT; every request's Host must agree with it */
	int upstream;             /* dialled already, unused; http.c closes it */
	struct address address;   /* of upstream */
	struct decision decision; /* by which CONNECT was allowed, which has not been logged */
};

/*
 * Takes the client over: client->part is CLIENT_HTTP and client->http is set, by this function.
 * `tunnel` is NULL for requests in absolute form. The octets are the first of a request and were
 * read from the descriptor already; more may be waiting there. They are looked at by an event, not
 * by this call. It ends by client_answer(), client_close(), client_tunnel() or, where the next
 * request is a CONNECT (outside of a tunnel) and every answer is written, client_request().
 */
void http_start(struct client *client, const struct http_tunnel *tunnel, const void *octets,
		size_t length);

/*
 * For client_end(): closes upstream descriptors, logs the end of an exchange under way, and a
 * request of which anything came (by the decision, where there is one), frees; the client itself is
 * the caller's to close.
 */
void http_stop(struct http *http, const struct decision *decision);

/* By turn.c, after turn_later(). */
void http_resume(struct http *http);

/* For client_is_allowed(): the target of the exchange under way; NULL between two of them. */
const struct target *http_target(const struct http *http);

/* The address of its server; NULL while none is connected. */
const struct address *http_address(const struct http *http);

#endif
