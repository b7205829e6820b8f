/* http_reach.h: the connection to the server of a request: the last one's again, or a new one. */
#ifndef EGRESSFW_FILTER_HTTP_REACH_H
#define EGRESSFW_FILTER_HTTP_REACH_H

#include "filter/http_exchange.h"

/* For a request that was allowed: sends its head, or dials first. */
void http_reach(struct http *http);

/*
 * The server closed without an octet of an answer. Where it may have done so before it saw the
 * request, and seeing it twice does no harm (RFC 9110, section 9.2.2), it is sent once more over a
 * new connection. False: that is not so.
 */
bool http_reach_again(struct http *http);

#endif
