/* dns_name.h: names as they stand in DNS messages (RFC 1035, sections 3.1 and 4.1.4). */
#ifndef EGRESSFW_SYSTEM_DNS_NAME_H
#define EGRESSFW_SYSTEM_DNS_NAME_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stdint.h>

enum { DNS_NAME_SIZE = 255 }; /* octets on the wire */

/* A name as it stands on the wire, lower case, without compression, with its closing zero octet. */
struct dns_name {
	uint8_t octets[DNS_NAME_SIZE];
	uint8_t length;
};

/* Takes a host name in normal form (policy/host.h); false if it is none that fits. */
bool dns_name_from_text(const char *text, struct dns_name *ret);
bool dns_name_equal(const struct dns_name *one, const struct dns_name *other);

/*
 * Reads a name of a message, following compression, and moves behind it; the cursor begins where
 * the message does. Every pointer must lead to before the place where the part that holds it began,
 * so that there can be no loop. False: there is none, and *ret may be half of one.
 */
bool dns_name_read(struct cursor *message, struct dns_name *ret);

#endif
