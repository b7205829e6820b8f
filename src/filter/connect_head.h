/* connect_head.h: the head of a CONNECT request, strictly read; pure. */
#ifndef EGRESSFW_FILTER_CONNECT_HEAD_H
#define EGRESSFW_FILTER_CONNECT_HEAD_H

#include "policy/url.h"

#include <stddef.h>

enum head_status {
	HEAD_MORE,      /* no end yet, and nothing that is wrong */
	HEAD_OTHER,     /* this is no CONNECT: another method, or no HTTP at all */
	HEAD_MALFORMED, /* 400 */
	HEAD_READ,
};

/*
 * HEAD_READ: *ret_target is host and port, *ret_length the octets of the head. HEAD_MALFORMED:
 * *ret_reason is a short constant sentence. The target is `host:port` with a port (RFC 9110, section
 * 9.3.6), host a name or a canonical address; HTTP/1.0 or 1.1; lines end in CRLF, none is folded; one
 * Host with 1.1 (RFC 9112, section 3.2); no content (a Content-Length of 0 is none).
 */
enum head_status connect_head_read(const void *octets, size_t length, struct target *ret_target,
				   size_t *ret_length, const char **ret_reason);

#endif
