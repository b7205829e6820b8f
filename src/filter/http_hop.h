/* http_hop.h: which fields are for one connection only (RFC 9110, section 7.6.1). */
#ifndef EGRESSFW_FILTER_HTTP_HOP_H
#define EGRESSFW_FILTER_HTTP_HOP_H

#include "filter/http_head.h"

/*
 * Whether the field goes no further than this connection: those that are known for it, every Proxy-
 * field, what frames the message anew (Transfer-Encoding), those that Connection names, and those
 * by which this filter says that it has decided.
 */
bool http_hop_drops(const struct http_head *head, struct http_text name);

/* The same for a trailer field, where Content-Length and Host have no place either. */
bool http_hop_drops_trailer(const struct http_head *head, struct http_text name);

/*
 * Whether Connection names a field without which the message would be another one (Host,
 * Content-Length, Transfer-Encoding, Expect), or so many that comparing them with every field takes
 * its time. Such a message is refused.
 */
bool http_hop_is_hostile(const struct http_head *head);

#endif
