/* hello.h: what a client says first in its tunnel, and whether that fits what it asked CONNECT for. */
#ifndef EGRESSFW_FILTER_HELLO_H
#define EGRESSFW_FILTER_HELLO_H

#include "filter/http.h"

/*
 * Takes over the client, which was answered 200, and the tunnel's upstream. `began_ms` is when its
 * request had come; the octets stood behind that, and were read already. TLS goes to tunnel.c, HTTP
 * in clear to http.c, all else is closed; the decision is logged before anything is passed on.
 */
void hello_start(struct client *client, const struct http_tunnel *tunnel, uint64_t began_ms,
		 const void *octets, size_t length);

/* For client_end(), as connect_stop(). */
void hello_stop(struct hello *hello, const struct decision *decision);

/* For client_is_allowed(): the target of CONNECT, and the address that was dialled for it. */
const struct target *hello_target(const struct hello *hello);
const struct address *hello_address(const struct hello *hello);

#endif
