/* address.c: IPv4 and IPv6 addresses and prefixes, strictly read, and what they are for. */
#include "base/address.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <string.h>

size_t address_width(enum family family)
{
	return family == FAMILY_IPV4 ? 4 : 16;
}

uint8_t address_bits(enum family family)
{
	return family == FAMILY_IPV4 ? 32 : 128;
}

const char *family_name(enum family family)
{
	return family == FAMILY_IPV4 ? "IPv4" : "IPv6";
}

bool address_parse(const char *text, struct address *ret)
{
	struct address address = { .family = strchr(text, ':') ? FAMILY_IPV6 : FAMILY_IPV4 };

	/* inet_pton(3) takes four decimal parts without leading zeros and nothing else. */
	if (inet_pton(address.family == FAMILY_IPV6 ? AF_INET6 : AF_INET, text, address.bytes) != 1)
		return false;
	*ret = address;
	return true;
}

/*
 * By hand: the filter's log has three for each line, and printf takes longer than the rest of it.
 */
static void format_ipv4(const uint8_t bytes[4], char *ret)
{
	for (int i = 0; i < 4; i++) {
		uint8_t byte = bytes[i];

		if (byte >= 100)
			*ret++ = (char)('0' + byte / 100);
		if (byte >= 10)
			*ret++ = (char)('0' + byte / 10 % 10);
		*ret++ = (char)('0' + byte % 10);
		*ret++ = i < 3 ? '.' : '\0';
	}
}

const char *address_format(const struct address *address, char buffer[ADDRESS_TEXT_SIZE])
{
	if (address->family == FAMILY_IPV4)
		format_ipv4(address->bytes, buffer);
	else
		inet_ntop(AF_INET6, address->bytes, buffer, ADDRESS_TEXT_SIZE);
	return buffer;
}

int address_compare(const struct address *one, const struct address *other)
{
	if (one->family != other->family)
		return one->family < other->family ? -1 : 1;
	return memcmp(one->bytes, other->bytes, address_width(one->family));
}

/* Sets all bits behind the first `length` to `value`. */
static void fill_host_bits(struct address *address, uint8_t length, bool value)
{
	size_t byte = length / 8, width = address_width(address->family);
	uint8_t mask = (uint8_t)(0xffU >> length % 8);

	if (byte >= width)
		return;
	if (value)
		address->bytes[byte] |= mask;
	else
		address->bytes[byte] &= (uint8_t)~mask;
	memset(address->bytes + byte + 1, value ? 0xff : 0, width - byte - 1);
}

struct address prefix_first(const struct prefix *prefix)
{
	return prefix->address;
}

struct address prefix_last(const struct prefix *prefix)
{
	struct address last = prefix->address;

	fill_host_bits(&last, prefix->length, true);
	return last;
}

struct prefix prefix_of(const struct address *address, uint8_t length)
{
	struct prefix prefix = { .address = *address, .length = length };

	fill_host_bits(&prefix.address, length, false);
	return prefix;
}

bool prefix_contains(const struct prefix *prefix, const struct address *address)
{
	struct prefix other;

	if (prefix->address.family != address->family)
		return false;
	other = prefix_of(address, prefix->length);
	return address_compare(&other.address, &prefix->address) == 0;
}

const char *prefix_format(const struct prefix *prefix, char buffer[PREFIX_TEXT_SIZE])
{
	const char *end = buffer + PREFIX_TEXT_SIZE;
	char *at;

	address_format(&prefix->address, buffer);
	if (prefix->length == address_bits(prefix->address.family))
		return buffer;
	at = text_put(buffer + strlen(buffer), end, "/");
	text_put_decimal(at, end, prefix->length);
	return buffer;
}

struct special {
	uint8_t bytes[16];
	uint8_t length; /* bits */
	const char *purpose;
};

/*
 * The first match counts. IANA's registry for IPv4 (RFC 6890), without documentation; and what
 * answers a virtual machine of one cloud alone, beside its link-local metadata, and has its keys:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
static const struct special special4[] = {
	{ { 0 }, 8, "unspecified" },
	{ { 10 }, 8, "private" },
	{ { 100, 64 }, 10, "shared" },
	{ { 127 }, 8, "loopback" },
	{ { 168, 63, 129, 16 }, 32, "metadata" },
	{ { 169, 254 }, 16, "link-local" },
	{ { 172, 16 }, 12, "private" },
	{ { 192, 0, 0 }, 24, "reserved" },
	{ { 192, 88, 99 }, 24, "reserved" },
	{ { 192, 168 }, 16, "private" },
	{ { 198, 18 }, 15, "benchmarking" },
	{ { 224 }, 4, "multicast" },
	{ { 240 }, 4, "reserved" },
};

/* The same for IPv6; what lies outside 2000::/3 has no ordinary use (RFC 4291, section 2.4). */
static const struct special special6[] = {
	{ { 0 }, 128, "unspecified" },
	{ { [15] = 1 }, 128, "loopback" },
	{ { [10] = 0xff, 0xff }, 96, "v4-mapped" },
	{ { 0 }, 96, "v4-compatible" },
	{ { 0, 0x64, 0xff, 0x9b, 0, 1 }, 48, "private" },
	{ { 0xfe, 0x80 }, 10, "link-local" },
	{ { 0xfe, 0xc0 }, 10, "private" },
	{ { 0xfc }, 7, "unique-local" },
	{ { 0xff }, 8, "multicast" },
	{ { 0x20, 0x01, 0, 2 }, 48, "benchmarking" },
	{ { 0x20, 0x01 }, 23, "reserved" },
};

static bool matches(const struct address *address, const struct special *special)
{
	struct prefix prefix = { .address.family = address->family, .length = special->length };

	memcpy(prefix.address.bytes, special->bytes, sizeof(special->bytes));
	return prefix_contains(&prefix, address);
}

static const char *lookup(const struct address *address, const struct special *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (matches(address, &table[i]))
			return table[i].purpose;
	return NULL;
}

static const struct special nat64 = { { 0, 0x64, 0xff, 0x9b }, 96, NULL };
static const struct special six_to_four = { { 0x20, 0x02 }, 16, NULL };
bool address_carried(const struct address *address, struct address *ret)
{
	size_t offset = 12;

	if (address->family != FAMILY_IPV6)
		return false;
	if (matches(address, &six_to_four))
		offset = 2;
	else if (!matches(address, &nat64))
		return false;
	*ret = (struct address){ .family = FAMILY_IPV4 };
	memcpy(ret->bytes, address->bytes + offset, 4);
	return true;
}

static const struct special unicast = { { 0x20 }, 3, NULL };

const char *address_special(const struct address *address)
{
	struct address inner;
	const char *purpose;

	if (address->family == FAMILY_IPV4)
		return lookup(address, special4, sizeof(special4) / sizeof(*special4));
	if (address_carried(address, &inner))
		return address_special(&inner);
	purpose = lookup(address, special6, sizeof(special6) / sizeof(*special6));
	if (!purpose && !matches(address, &unicast))
		return "reserved";
	return purpose;
}

static void add_prefix(enum family family, const uint8_t *bytes, unsigned length,
		       struct keyset *keys)
{
	struct prefix prefix = { .address.family = family, .length = (uint8_t)length };
	struct address last;

	memcpy(prefix.address.bytes, bytes, address_width(family));
	last = prefix_last(&prefix);
	keyset_add_interval(keys, prefix.address.bytes, last.bytes);
}

/* The IPv6 addresses that carry special IPv4 ones behind the prefix. */
static void add_carrying(const struct special *prefix, struct keyset *keys)
{
	for (size_t i = 0; i < sizeof(special4) / sizeof(*special4); i++) {
		uint8_t bytes[16];

		memcpy(bytes, prefix->bytes, sizeof(bytes));
		memcpy(bytes + prefix->length / 8, special4[i].bytes, 4);
		add_prefix(FAMILY_IPV6, bytes, (unsigned)prefix->length + special4[i].length, keys);
	}
}

/*
 * Everything outside 2000::/3 but NAT64's prefix: ::/3 is what lies beside that, 4000:: the rest.
 */
static void add_outside_unicast(struct keyset *keys)
{
	for (unsigned length = nat64.length; length > unicast.length; length--) {
		struct address address = { .family = FAMILY_IPV6 };

		memcpy(address.bytes, nat64.bytes, sizeof(nat64.bytes));
		address.bytes[(length - 1) / 8] ^= (uint8_t)(0x80U >> ((length - 1) % 8));
		address = prefix_of(&address, (uint8_t)length).address;
		add_prefix(FAMILY_IPV6, address.bytes, length, keys);
	}
	for (unsigned first = 0x40; first < 0x100; first += 0x20)
		add_prefix(FAMILY_IPV6, (const uint8_t[16]){ (uint8_t)first }, unicast.length,
			   keys);
}

void address_add_special(enum family family, struct keyset *keys)
{
	const struct special *table = family == FAMILY_IPV4 ? special4 : special6;
	size_t count = family == FAMILY_IPV4 ? sizeof(special4) / sizeof(*special4)
					     : sizeof(special6) / sizeof(*special6);

	for (size_t i = 0; i < count; i++)
		add_prefix(family, table[i].bytes, table[i].length, keys);
	if (family == FAMILY_IPV4)
		return;
	add_carrying(&nat64, keys);
	add_carrying(&six_to_four, keys);
	add_outside_unicast(keys);
}
