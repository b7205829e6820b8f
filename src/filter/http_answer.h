/* http_answer.h: the head with which a server's answer is sent on to the client. */
#ifndef EGRESSFW_FILTER_HTTP_ANSWER_H
#define EGRESSFW_FILTER_HTTP_ANSWER_H

#include "filter/http_request.h"

enum http_relay {
	HTTP_RELAY_FINAL,   /* the answer; a body may follow */
	HTTP_RELAY_INTERIM, /* 1xx: the answer is still to come */
	HTTP_RELAY_SILENT,  /* 1xx to a client of HTTP/1.0: not sent on */
	HTTP_RELAY_UPGRADE, /* 101 that was asked for: what follows is no HTTP */
};

struct http_relay_plan {
	enum http_relay relay;
	bool keep_client; /* the client's connection goes on behind the body */
	bool keep_server; /* the server's does */
	bool plain;       /* chunks must be taken out of their framing: HTTP/1.0 */
};

/*
 * What is done with an answer to that request. `whole`: the request's body has been sent on; if
 * not, the client's connection cannot go on behind the answer. False: *ret_fault says what is wrong
 * (502).
 */
bool http_answer_plan(const struct http_head *answer, const struct http_head *request_head,
		      const struct http_request *request, bool whole, struct http_relay_plan *ret,
		      struct http_fault *ret_fault);

/* Appends the head for the client; nothing for HTTP_RELAY_SILENT. */
void http_answer_write(const struct http_head *answer, const struct http_relay_plan *plan,
		       struct buffer *out);

#endif
