/* http_request.h: what a request asks for, and the head with which it is sent on. */
#ifndef EGRESSFW_FILTER_HTTP_REQUEST_H
#define EGRESSFW_FILTER_HTTP_REQUEST_H

#include "filter/http_head.h"
#include "policy/url.h"

/* In what form the request line has its target (RFC 9112, section 3.2). */
enum http_form {
	HTTP_FORM_ABSOLUTE,  /* "http://host/path": for this filter to pass on */
	HTTP_FORM_ORIGIN,    /* "/path" or "*": only within a tunnel */
	HTTP_FORM_AUTHORITY, /* "host:port": CONNECT */
};

struct http_request {
	enum http_form form;
	char *method;
	struct target target; /* path: canonical, NULL where it has no canonical form, or none */
	char *path;           /* as it is sent on: path and query, or "*"; NULL of CONNECT */
	char *odd_path;       /* its path without the query, where that has no canonical form */
	bool agrees;          /* no other host or port is named beside the one in `target` */
	bool keep_alive;      /* the connection may stay */
	bool expects;         /* "Expect: 100-continue" */
	bool upgrades;        /* to websocket; no other upgrade is passed on */
	bool is_limited;      /* OPTIONS or TRACE with Max-Forwards */
	uint32_t forwards;    /* how often it may still be passed on, at most UINT32_MAX */
};

/* Whether it may not be passed on, but is answered here (RFC 9110, section 7.6.2). */
static inline bool http_request_ends_here(const struct http_request *request)
{
	return request->is_limited && !request->forwards;
}

/*
 * Which request it is, outside of a tunnel (`tunnel` NULL) or within one. Within, target is the
 * tunnel's with the path of the request. What else the request names there, in an absolute form and
 * in Host, must be the same host, and the same port where it names one, or it does not agree and is
 * to be denied. Outside of a tunnel Host is not looked at, but made anew (RFC 9112, section 3.2.2),
 * or of CONNECT not passed on at all. Refused among others: an origin form outside of a tunnel,
 * https in absolute form, no Host or several in HTTP/1.1, a host in a spelling that is not
 * canonical, Connection naming a field that frames or routes, a Max-Forwards of OPTIONS or TRACE
 * that is no number.
 */
bool http_request_read(const struct http_head *head, const struct target *tunnel,
		       struct http_request *ret, struct http_fault *ret_fault);
void http_request_free(struct http_request *request);

/*
 * Appends the head for the server: the method, the path, Host from the target, then the fields in
 * their order, without those that are for this connection only (RFC 9110, section 7.6.1) and every
 * Proxy- field; Max-Forwards is one less. No Via is added: nothing is dialled that could lead back, and servers that see one
 * answer without compression.
 */
void http_request_write(const struct http_head *head, const struct http_request *request,
			struct buffer *out);

#endif
