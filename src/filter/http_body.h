/* http_body.h: llhttp, in its strict mode: the second reader of a head, and the one of its body. */
#ifndef EGRESSFW_FILTER_HTTP_BODY_H
#define EGRESSFW_FILTER_HTTP_BODY_H

#include "filter/http_head.h"

#include <llhttp.h>

/* One message. Not to be moved once it has begun: llhttp knows where it stands. */
struct http_body_reader {
	llhttp_t parser;
	const struct http_head *head;
	bool plain;
	bool in_chunk; /* that is not the last one */
	size_t limit;
	struct http_fault fault; /* status 0: none */
	bool is_over;
	struct buffer *out;
	const char *framing;   /* octets of the current call from here on are no body */
	size_t framing_length; /* since the last octet of the body */
	bool after_return;     /* the last octet that is no body was CR */
	bool after_line;       /* or the LF behind it */
	struct buffer trailers;
	size_t trailer_start, trailer_name, trailer_count;
};

/* Shows the whole head to llhttp; false where it refuses it, or understands it in another way. */
bool http_body_start(struct http_body_reader *reader, const struct http_head *head, size_t limit,
		     struct http_fault *ret_fault);
void http_body_free(struct http_body_reader *reader);

/*
 * Reads octets of the body, up to its end; what is to be sent on is appended to `out`: chunks
 * without extensions, or with `plain` what is in them; trailer fields without those that frame or
 * route. What stands between chunks ends in CRLF everywhere, and holds no other control character.
 * False: *ret_fault is set, and nothing was appended. reader->is_over: the body has ended.
 */
bool http_body_read(struct http_body_reader *reader, bool plain, const char *octets, size_t length,
		    size_t *ret_used, struct buffer *out, struct http_fault *ret_fault);

#endif
