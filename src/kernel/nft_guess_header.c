/* nft_guess_header.c: which match expressions may be that look into a packet's headers. */
#include "kernel/nft_guess.h"

#include <netinet/in.h>
#include <string.h>

bool guess_bytes(const struct view *view, size_t index, struct statement *ret)
{
	const struct expression *compared = at(view, index, EXPRESSION_COMPARE);
	const struct expression *looked_up = at(view, index, EXPRESSION_LOOKUP);

	if (compared && compared->length == 1) {
		ret->bytes.count = 1;
		ret->bytes.values[0] = compared->data[0];
		return true;
	}
	if (!looked_up || !looked_up->set.present || looked_up->set.keys.width != 1 ||
	    looked_up->set.keys.count > STATEMENT_VALUES_MAX)
		return false;
	ret->bytes.count = (uint8_t)looked_up->set.keys.count;
	for (size_t i = 0; i < looked_up->set.keys.count; i++)
		ret->bytes.values[i] = *keyset_first(&looked_up->set.keys, i);
	return true;
}

static uint32_t port_from(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 8 | bytes[1];
}

bool guess_ports(const struct view *view, size_t index, enum statement_kind kind,
		 struct statement *ret)
{
	const struct expression *first = at(view, index, EXPRESSION_COMPARE);
	const struct expression *looked_up = at(view, index, EXPRESSION_LOOKUP);

	ret->kind = kind;
	if (first) {
		const struct expression *last =
			first->key == NFT_CMP_GTE ? at(view, index + 1, EXPRESSION_COMPARE) : first;

		if (!last || port_from(first->data) > port_from(last->data))
			return false;
		rangeset_add(&ret->ports, port_from(first->data), port_from(last->data));
		return true;
	}
	if (!looked_up || !looked_up->set.present || looked_up->set.keys.width != 2)
		return false;
	for (size_t i = 0; i < looked_up->set.keys.count; i++)
		rangeset_add(&ret->ports, port_from(keyset_first(&looked_up->set.keys, i)),
			     port_from(keyset_last(&looked_up->set.keys, i)));
	return true;
}

static bool guess_tcp_flags(const struct view *view, size_t index, struct statement *ret)
{
	const struct expression *bitwise = at(view, index, EXPRESSION_BITWISE);
	const struct expression *compared = at(view, index + 1, EXPRESSION_COMPARE);

	ret->kind = MATCH_TCP_FLAGS;
	if (!bitwise || !compared)
		return false;
	ret->negate = compared->key == NFT_CMP_NEQ;
	ret->flags.mask = bitwise->mask[0];
	ret->flags.value = compared->data[0];
	return true;
}

static bool guess_address(const struct view *view, size_t index, enum statement_kind kind,
			  enum family family, struct statement *ret)
{
	const struct expression *looked_up = at(view, index + 1, EXPRESSION_LOOKUP);
	const struct expression *bitwise = at(view, index + 1, EXPRESSION_BITWISE);
	const struct expression *compared = at(view, index + (bitwise ? 2 : 1), EXPRESSION_COMPARE);
	size_t bits = 8 * view->items[index].length;

	if (looked_up) {
		ret->kind = MATCH_DESTINATION_IN;
		ret->family = family;
		memcpy(ret->name, looked_up->name, sizeof(ret->name));
		return !looked_up->set.present;
	}
	if (!compared || bits > address_bits(family))
		return false;
	if (bitwise)
		for (bits = 0; bits < address_bits(family); bits++)
			if (!(bitwise->mask[bits / 8] & 0x80 >> bits % 8))
				break;
	ret->kind = kind;
	ret->prefix.address.family = family;
	ret->prefix.length = (uint8_t)bits;
	memcpy(ret->prefix.address.bytes, compared->data, address_width(family));
	return true;
}

/* How many groups a report has; the rest is left to the confirmation. */
static bool guess_group_report(const struct view *view, size_t index, struct statement *ret)
{
	const struct expression *type = at(view, index, EXPRESSION_COMPARE);
	const struct expression *count = at(view, index + 1, EXPRESSION_PAYLOAD);
	const struct expression *records = at(view, index + 2, EXPRESSION_COMPARE);

	ret->kind = MATCH_GROUP_REPORT;
	if (!type || !count || count->offset != 6 || !records)
		return false;
	ret->records = records->data[1];
	return true;
}

bool guess_header(const struct view *view, size_t index, uint8_t protocol, struct statement *ret)
{
	const struct expression *payload = &view->items[index];

	if (payload->key == NFT_PAYLOAD_NETWORK_HEADER) {
		if (payload->offset == 16)
			return guess_address(view, index, MATCH_DESTINATION, FAMILY_IPV4, ret);
		if (payload->offset == 24)
			return guess_address(view, index, MATCH_DESTINATION, FAMILY_IPV6, ret);
		if (payload->offset == 12)
			return guess_address(view, index, MATCH_SOURCE, FAMILY_IPV4, ret);
		if (payload->offset == 8)
			return guess_address(view, index, MATCH_SOURCE, FAMILY_IPV6, ret);
		ret->kind = MATCH_IP_PROTOCOL;
		return payload->offset == 9 && guess_bytes(view, index + 1, ret);
	}
	if (payload->key != NFT_PAYLOAD_TRANSPORT_HEADER)
		return false;
	if (payload->offset == 2)
		return guess_ports(view, index + 1, MATCH_PORTS, ret);
	if (payload->offset == 13)
		return guess_tcp_flags(view, index + 1, ret);
	if (payload->offset == 0 && payload->length == 2)
		return guess_ports(view, index + 1, MATCH_SOURCE_PORTS, ret);
	if (guess_group_report(view, index + 1, ret))
		return payload->offset == 0;
	ret->kind = protocol == IPPROTO_ICMPV6 ? MATCH_ICMPV6_TYPE : MATCH_ICMP_TYPE;
	return payload->offset == 0 && guess_bytes(view, index + 1, ret);
}
