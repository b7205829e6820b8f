/* http_framing.h: how long a message's body is (RFC 9112, section 6.3), where there is one answer. */
#ifndef EGRESSFW_FILTER_HTTP_FRAMING_H
#define EGRESSFW_FILTER_HTTP_FRAMING_H

#include "filter/http_head.h"

/* Sets head->body, has_length and length from the fields. False: *ret_fault is set. */
bool http_framing_read(struct http_head *head, bool to_head, struct http_fault *ret_fault);

#endif
