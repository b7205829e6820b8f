/* literal.h: addresses, prefixes and ports in the one spelling that is taken. */
#ifndef EGRESSFW_POLICY_LITERAL_H
#define EGRESSFW_POLICY_LITERAL_H

#include "base/address.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 to 65535 in decimal digits without leading zeros; the error calls the whole value `text`. */
bool literal_port(const char *port, size_t length, const char *text, uint16_t *ret,
		  struct err *err);

/* The same, or "FIRST-LAST" with first <= last. */
bool literal_ports(const char *ports, const char *text, uint16_t *ret_first, uint16_t *ret_last,
		   struct err *err);

/*
 * An address exactly as address_format() writes it. Another spelling is refused with the right
 * one; so are IPv6 forms of an IPv4 address that leave as IPv4, or not at all (v4-mapped,
 * v4-compatible).
 */
bool literal_address(const char *text, struct address *ret, struct err *err);

/* The address, or "address/length" without host bits; the length 0 is refused. */
bool literal_prefix(const char *text, struct prefix *ret, struct err *err);

/* False for loopback and for the unspecified addresses, which no list governs. */
bool literal_is_destination(const struct prefix *prefix, struct err *err);

/* Whether an address lies in 127.0.0.0/8 or is ::1. */
bool literal_is_loopback(const struct address *address);

#endif
