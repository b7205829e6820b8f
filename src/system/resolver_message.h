/* resolver_message.h: DNS messages (RFC 1035): a question written, an answer strictly read. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_MESSAGE_H
#define EGRESSFW_SYSTEM_RESOLVER_MESSAGE_H

#include "base/address.h"
#include "base/buffer.h"
#include "plan/resolved.h"
#include "system/dns_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure: no socket, clock or global state. Answers are hostile bytes and are read through
 * base/cursor.h alone. Nothing here allocates except for the addresses of an answer.
 */
enum {
	DNS_ALIASES_MAX = 8,     /* CNAME records between a name and its addresses */
	DNS_DATAGRAM_MAX = 1232, /* what the EDNS record of a question offers to take over UDP */
};

struct dns_answer {
	/* FOUND, NXDOMAIN, NO_ADDRESS, SERVFAIL (any other failure too), REFUSED or MALFORMED. */
	enum resolve_status status;
	struct addresses found; /* FOUND: in the order of the message, perhaps repeated */
	bool unfinished; /* FOUND without addresses: `target` is what must be asked for next */
	struct dns_name target;
	uint32_t ttl;      /* FOUND: seconds, the least of the records that led there */
	unsigned aliases;  /* CNAME records that were followed up to `target` */
	bool refuses_edns; /* SERVFAIL: perhaps the EDNS record was not understood */
};

/* Appends the question for the A or AAAA records of `name`, recursion desired. */
void dns_question_write(uint16_t id, const struct dns_name *name, enum family family, bool edns,
			struct buffer *out);

/*
 * Reads the answer to the question for `name`. An address counts only if its record belongs to
 * `name` or to the target of an alias that itself counts. Always sets *ret; the caller frees
 * ret->found.items.
 */
void dns_answer_read(const void *bytes, size_t length, const struct dns_name *name,
		     enum family family, struct dns_answer *ret);

#endif
