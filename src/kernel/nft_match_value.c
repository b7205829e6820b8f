/* nft_match_value.c: what matches compare with, and the dependencies that they bring. */
#include "kernel/nft_match_value.h"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>

bool need_family(struct rule_context *context, enum family family, struct expressions *out,
		 struct err *err)
{
	const uint8_t number = family == FAMILY_IPV4 ? NFPROTO_IPV4 : NFPROTO_IPV6;

	if (context->family_known) {
		if (context->family == family)
			return true;
		err_set(err, "an %s match cannot stand where only %s packets come",
			family_name(family), family_name(context->family));
		return false;
	}
	expressions_add_meta(out, NFT_META_NFPROTO);
	expressions_add_compare(out, NFT_CMP_EQ, &number, sizeof(number));
	context->family_known = true;
	context->family = family;
	return true;
}

bool need_protocol(struct rule_context *context, uint8_t protocol, struct expressions *out,
		   struct err *err)
{
	if (context->protocol_count) {
		if (context->protocol_count == 1 && context->protocols[0] == protocol)
			return true;
		err_set(err, "a match of protocol %u cannot stand behind another protocol",
			protocol);
		return false;
	}
	expressions_add_meta(out, NFT_META_L4PROTO);
	expressions_add_compare(out, NFT_CMP_EQ, &protocol, sizeof(protocol));
	context->protocol_count = 1;
	context->protocols[0] = protocol;
	return true;
}

static struct expression *look_up_anonymous(struct expressions *out, uint32_t key_type,
					    uint32_t byte_order, size_t width, bool interval)
{
	struct expression *added = expressions_add(out, EXPRESSION_LOOKUP);

	added->set = (struct anonymous_set){
		.present = true,
		.key_type = key_type,
		.byte_order = byte_order,
		.keys = keyset_new(width, interval),
	};
	return added;
}

bool match_bytes(const struct statement *statement, uint32_t key_type, uint32_t byte_order,
		 struct expressions *out, struct err *err)
{
	size_t count = statement->bytes.count;
	struct expression *added;

	if (!count || count > STATEMENT_VALUES_MAX) {
		err_set(err, "a match of %zu values cannot be said; expected 1 to %d", count,
			STATEMENT_VALUES_MAX);
		return false;
	}
	if (count == 1) {
		expressions_add_compare(out, NFT_CMP_EQ, statement->bytes.values, 1);
		return true;
	}
	added = look_up_anonymous(out, key_type, byte_order, 1, false);
	for (size_t i = 0; i < count; i++)
		keyset_add(&added->set.keys, &statement->bytes.values[i]);
	keyset_seal(&added->set.keys);
	return true;
}

static void put_port(uint8_t to[PORT_WIDTH], uint32_t port)
{
	to[0] = (uint8_t)(port >> 8);
	to[1] = (uint8_t)port;
}

bool compare_ports(const struct rangeset *ports, struct expressions *out, struct err *err)
{
	bool interval = false;
	uint8_t first[PORT_WIDTH], last[PORT_WIDTH];
	struct expression *added;

	if (!ports->count || ports->items[ports->count - 1].last > UINT16_MAX) {
		err_set(err, "a match of ports has none, or one above 65535");
		return false;
	}
	for (size_t i = 0; i < ports->count; i++)
		interval = interval || ports->items[i].first != ports->items[i].last;
	put_port(first, ports->items[0].first);
	put_port(last, ports->items[0].last);
	if (ports->count == 1) {
		expressions_add_compare(out, interval ? NFT_CMP_GTE : NFT_CMP_EQ, first,
					sizeof(first));
		if (interval)
			expressions_add_compare(out, NFT_CMP_LTE, last, sizeof(last));
		return true;
	}
	added = look_up_anonymous(out, NFT_TYPE_PORT, NFT_ORDER_NETWORK, PORT_WIDTH, interval);
	for (size_t i = 0; i < ports->count; i++) {
		put_port(first, ports->items[i].first);
		put_port(last, ports->items[i].last);
		if (interval)
			keyset_add_interval(&added->set.keys, first, last);
		else
			keyset_add(&added->set.keys, first);
	}
	keyset_seal(&added->set.keys);
	return true;
}
