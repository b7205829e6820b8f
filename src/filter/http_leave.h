/* http_leave.h: how a client leaves the requests in clear; for http.c alone. */
#ifndef EGRESSFW_FILTER_HTTP_LEAVE_H
#define EGRESSFW_FILTER_HTTP_LEAVE_H

#include "filter/http_exchange.h"

/* Each of them frees `http`, and the client may be gone when it returns. */

/* HTTP_PHASE_CONNECT: the next request is connect.c's, with all that was read of it. */
void http_leave_to_connect(struct http *http);

/* HTTP_PHASE_UPGRADE: both connections are tunnel.c's, with what is still to be sent on them. */
void http_leave_to_tunnel(struct http *http);

/* HTTP_PHASE_LAST: all is sent. */
void http_leave(struct http *http);

/*
 * In the middle of something, which the log says. `reset`: so that the client does not take what it
 * has for the whole.
 */
void http_leave_abruptly(struct http *http, bool reset);

#endif
