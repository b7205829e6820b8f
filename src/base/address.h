/* address.h: IPv4 and IPv6 addresses and prefixes, strictly read, and what they are for. */
#ifndef EGRESSFW_BASE_ADDRESS_H
#define EGRESSFW_BASE_ADDRESS_H

#include "base/keyset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum family { FAMILY_IPV4, FAMILY_IPV6 };

enum {
	ADDRESS_TEXT_SIZE = 46, /* INET6_ADDRSTRLEN */
	PREFIX_TEXT_SIZE = ADDRESS_TEXT_SIZE + 4,
};

struct address {
	enum family family;
	uint8_t bytes[16]; /* network byte order; IPv4 uses the first four, the others are zero */
};

struct prefix {
	struct address address; /* host bits are zero */
	uint8_t length;         /* bits, 0 to 32 or 128 */
};

/* Bytes and bits of an address of the family: 4 and 32, or 16 and 128. */
size_t address_width(enum family family);
uint8_t address_bits(enum family family);

/* "IPv4" or "IPv6". */
const char *family_name(enum family family);

/*
 * Reads dotted decimal with four parts and no leading zeros (RFC 3986, section 3.2.2) or an IPv6
 * address (RFC 4291, section 2.2) without brackets and zone. No other spelling is an address.
 */
bool address_parse(const char *text, struct address *ret);

/* The text of RFC 5952. Returns buffer. */
const char *address_format(const struct address *address, char buffer[ADDRESS_TEXT_SIZE]);

/* memcmp() order, IPv4 first. */
int address_compare(const struct address *one, const struct address *other);

/* First and last address of the prefix. */
struct address prefix_first(const struct prefix *prefix);
struct address prefix_last(const struct prefix *prefix);
bool prefix_contains(const struct prefix *prefix, const struct address *address);

/* The prefix in which `address` lies, `length` bits long: clears the host bits. */
struct prefix prefix_of(const struct address *address, uint8_t length);

/* "192.0.2.0/24"; a prefix of one address is written as that address. Returns buffer. */
const char *prefix_format(const struct prefix *prefix, char buffer[PREFIX_TEXT_SIZE]);

/*
 * The IPv4 address that an IPv6 one leads to: by NAT64 (64:ff9b::/96, RFC 6052) or 6to4 (2002::/16,
 * RFC 3056). False: it carries none.
 */
bool address_carried(const struct address *address, struct address *ret);

/*
 * What an address is reserved for, as a word for a message ("loopback", "private", "link-local",
 * ...), or NULL where it is an ordinary unicast address (RFC 6890 and its registries). An IPv6
 * address that carries an IPv4 one (NAT64 64:ff9b::/96 of RFC 6052, 6to4 of RFC 3056) is what the
 * carried one is; v4-mapped and v4-compatible ones are never ordinary. Documentation ranges are
 * ordinary addresses.
 */
const char *address_special(const struct address *address);

/*
 * Adds all addresses of the family for which address_special() has a word to an interval set of
 * that family's width; the caller seals it.
 */
void address_add_special(enum family family, struct keyset *keys);

#endif
