/* http_relay.h: a request on its way up, and its answer on its way down; for http_exchange.c. */
#ifndef EGRESSFW_FILTER_HTTP_RELAY_H
#define EGRESSFW_FILTER_HTTP_RELAY_H

#include "filter/http_exchange.h"

/* Passes on what there is of the request's body, or of the answer. False: nothing moved. */
bool http_relay_step(struct http *http);

/* Nothing moved for too long. */
void http_relay_late(struct http *http);

/* Forgets the request that is over, and awaits the next one. */
void http_relay_next(struct http *http);

#endif
