/* connect.h: the first request of a client: a CONNECT is judged, dialled and answered here. */
#ifndef EGRESSFW_FILTER_CONNECT_H
#define EGRESSFW_FILTER_CONNECT_H

#include "filter/client.h"

/*
 * Takes the client over; octets of the request that were read already. What is no CONNECT goes to
 * http.c.
 */
void connect_start(struct client *client, const void *octets, size_t length);

/*
 * For client_end(): a request of which anything came is logged, with the decision where there is
 * one. The client is the caller's to close.
 */
void connect_stop(struct connect *connect, const struct decision *decision);

/* The target that is being dialled; NULL while the request is read. */
const struct target *connect_target(const struct connect *connect);

#endif
