/* hello.h: what a client says first in its tunnel, and whether that fits what it asked CONNECT for. */
#ifndef EGRESSFW_FILTER_HELLO_H
#define EGRESSFW_FILTER_HELLO_H

#include "filter/http.h"

/*
 * Takes the client over, which was answered 200. The tunnel's upstream is hello.c's from now on.
 * Octets behind the request that were read already. TLS goes to tunnel.c, HTTP in clear to http.c,
 * all else is closed; the decision is logged before anything is passed on.
 */
void hello_start(struct client *client, const struct http_tunnel *tunnel, uint64_t began_ms,
		 const void *octets, size_t length);

/* For client_end(), as connect_stop(). */
void hello_stop(struct hello *hello, const struct decision *decision);

const struct target *hello_target(const struct hello *hello);
const struct address *hello_address(const struct hello *hello);

#endif
