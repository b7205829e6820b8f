/* http_verdict.h: what is said about a request here: judged, refused, denied; for http_exchange.c. */
#ifndef EGRESSFW_FILTER_HTTP_VERDICT_H
#define EGRESSFW_FILTER_HTTP_VERDICT_H

#include "filter/http_exchange.h"

/* The head in http->requests is whole: judges it, and goes on to the phase that follows. */
void http_verdict_begin(struct http *http);

/* A fault of the request, or a limit of ours: logged as a block, answered, and the last answer. */
void http_verdict_refuse(struct http *http, unsigned status, const char *rule, const char *reason);

/* The line about a request that is not answered. */
void http_verdict_note(struct http *http, const char *rule, const char *reason);

/* The server cannot be reached: logged, where it is not yet, and answered. */
void http_verdict_fail(struct http *http, unsigned status, const char *reason);

/* The policy says no, by http->record.decision. */
void http_verdict_deny(struct http *http);

/* Nothing may go on that is not in the log: 503, the last answer. */
void http_verdict_log_is_full(struct http *http);

#endif
