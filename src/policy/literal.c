/* literal.c: addresses, prefixes and ports in the one spelling that is taken. */
#include "policy/literal.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static void refuse_port(const char *port, size_t length, const char *text, struct err *err)
{
	autofree char *copy = memory_format("%.*s", (int)length, port);
	char quoted[TEXT_QUOTE_SIZE], port_quoted[TEXT_QUOTE_SIZE];

	err_set(err, "%s has the port %s; a port is a number from 1 to 65535 without leading zeros",
		text_quote(text, quoted), text_quote(copy, port_quoted));
}

bool literal_port(const char *port, size_t length, const char *text, uint16_t *ret, struct err *err)
{
	uint32_t value;

	if (!text_number(port, length, &value) || value < 1 || value > UINT16_MAX) {
		refuse_port(port, length, text, err);
		return false;
	}
	*ret = (uint16_t)value;
	return true;
}

bool literal_ports(const char *ports, const char *text, uint16_t *ret_first, uint16_t *ret_last,
		   struct err *err)
{
	const char *hyphen = strchr(ports, '-');
	char quoted[TEXT_QUOTE_SIZE];
	uint16_t first, last;

	if (!literal_port(ports, hyphen ? (size_t)(hyphen - ports) : strlen(ports), text, &first,
			  err))
		return false;
	last = first;
	if (hyphen && !literal_port(hyphen + 1, strlen(hyphen + 1), text, &last, err))
		return false;
	if (first > last) {
		err_set(err, "%s has a range that ends before it begins; did you mean \"%u-%u\"?",
			text_quote(text, quoted), last, first);
		return false;
	}
	*ret_first = first;
	*ret_last = last;
	return true;
}

/* The IPv4 address inside a v4-mapped or v4-compatible one. */
static bool carried(const struct address *address, struct address *ret)
{
	static const struct prefix mapped = { { FAMILY_IPV6, { [10] = 0xff, 0xff } }, 96 };
	static const struct prefix compatible = { { FAMILY_IPV6, { 0 } }, 96 };
	static const struct prefix own = { { FAMILY_IPV6, { 0 } }, 127 }; /* :: and ::1 */

	if (!prefix_contains(&mapped, address) &&
	    (!prefix_contains(&compatible, address) || prefix_contains(&own, address)))
		return false;
	*ret = (struct address){ .family = FAMILY_IPV4 };
	memcpy(ret->bytes, address->bytes + 12, 4);
	return true;
}

bool literal_address(const char *text, struct address *ret, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], formatted[ADDRESS_TEXT_SIZE];
	struct address address, inner;

	if (!address_parse(text, &address)) {
		err_set(err,
			"%s is not an address; expected four numbers as in \"192.0.2.1\", or IPv6 "
			"as in \"2001:db8::1\"",
			text_quote(text, quoted));
		return false;
	}
	if (carried(&address, &inner)) {
		err_set(err, "%s is an IPv6 form of an IPv4 address; did you mean \"%s\"?",
			text_quote(text, quoted), address_format(&inner, formatted));
		return false;
	}
	/* IPv4 has one spelling that is taken at all. */
	if (address.family == FAMILY_IPV6 && strcmp(text, address_format(&address, formatted))) {
		err_set(err, "%s is another spelling of an address; did you mean \"%s\"?",
			text_quote(text, quoted), formatted);
		return false;
	}
	*ret = address;
	return true;
}

bool literal_prefix(const char *text, struct prefix *ret, struct err *err)
{
	const char *slash = strchrnul(text, '/');
	autofree char *before = *slash ? memory_format("%.*s", (int)(slash - text), text) : NULL;
	char quoted[TEXT_QUOTE_SIZE], formatted[PREFIX_TEXT_SIZE];
	struct address address;
	struct prefix prefix;
	uint32_t length;

	if (!literal_address(before ? before : text, &address, err))
		return false;
	length = address_bits(address.family);
	if (*slash && (!text_number(slash + 1, strlen(slash + 1), &length) ||
		       length > address_bits(address.family))) {
		err_set(err,
			"%s is not a prefix; expected a length from 1 to %u without leading zeros "
			"behind the slash",
			text_quote(text, quoted), address_bits(address.family));
		return false;
	}
	if (length == 0) {
		err_set(err,
			"%s is the whole Internet; use network_mode \"public\" for that, or name "
			"what is needed",
			text_quote(text, quoted));
		return false;
	}
	prefix = prefix_of(&address, (uint8_t)length);
	if (address_compare(&prefix.address, &address)) {
		err_set(err, "%s has host bits set; did you mean \"%s\"?", text_quote(text, quoted),
			prefix_format(&prefix, formatted));
		return false;
	}
	*ret = prefix;
	return true;
}

bool literal_is_loopback(const struct address *address)
{
	static const uint8_t loopback6[16] = { [15] = 1 };

	if (address->family == FAMILY_IPV4)
		return address->bytes[0] == 127;
	return !memcmp(address->bytes, loopback6, sizeof(loopback6));
}

bool literal_is_destination(const struct prefix *prefix, struct err *err)
{
	static const uint8_t zero[16];
	uint8_t bits = address_bits(prefix->address.family);
	char formatted[PREFIX_TEXT_SIZE];

	/* Host bits are zero, so a prefix that begins in loopback lies within it. */
	if (literal_is_loopback(&prefix->address)) {
		err_set(err, "\"%s\" is loopback, which is governed by \"loopback\"",
			prefix_format(prefix, formatted));
		return false;
	}
	if (prefix->length == bits && !memcmp(prefix->address.bytes, zero, sizeof(zero))) {
		err_set(err, "\"%s\" is the unspecified address, which names no destination",
			prefix_format(prefix, formatted));
		return false;
	}
	return true;
}
