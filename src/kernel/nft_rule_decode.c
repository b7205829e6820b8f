/* nft_rule_decode.c: from the expressions of a rule back to our statements. */
#include "kernel/nft_statement.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. A statement is guessed from the few expressions that tell it, then expanded
 * again in the same context, and taken only where the result equals what was read, expression for
 * expression. So a guess may be careless; a statement that was taken is exact.
 */

struct view {
	const struct expression *items;
	size_t count;
};

/* The expression `index` of the view if it is of the kind, else NULL. */
static const struct expression *at(const struct view *view, size_t index, enum expression_kind kind)
{
	return index < view->count && view->items[index].kind == kind ? &view->items[index] : NULL;
}

static bool is_meta(const struct view *view, size_t index, uint32_t key)
{
	const struct expression *meta = at(view, index, EXPRESSION_META);

	return meta && meta->key == key;
}

/* How many expressions in front are `meta nfproto X` or `meta l4proto Y` comparisons. */
static size_t dependencies(const struct view *view)
{
	size_t index = 0;

	if (is_meta(view, index, NFT_META_NFPROTO) && at(view, index + 1, EXPRESSION_COMPARE))
		index += 2;
	if (is_meta(view, index, NFT_META_L4PROTO) && at(view, index + 1, EXPRESSION_COMPARE))
		index += 2;
	return index;
}

static void name_from(const struct expression *expression, struct statement *ret)
{
	memcpy(ret->name, expression->name, sizeof(ret->name));
}

/* The values of a comparison or of an anonymous set, as MATCH_PROTOCOL and its like hold them. */
static bool guess_bytes(const struct view *view, size_t index, struct statement *ret)
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

static bool guess_ports(const struct view *view, size_t index, enum statement_kind kind,
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
		name_from(looked_up, ret);
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

/* `protocol` is what the context or a dependency in front says. */
static bool guess_payload(const struct view *view, size_t index, uint8_t protocol,
			  struct statement *ret)
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

static uint32_t number_from(const struct expression *compared)
{
	uint32_t number;

	memcpy(&number, compared->data, sizeof(number));
	return number;
}

/* @SET after the conversion; one uid before it; two after it, which may be all that there are. */
static void guess_user(const struct view *view, struct statement *ret)
{
	const struct expression *looked_up = at(view, 2, EXPRESSION_LOOKUP);
	const struct expression *one = at(view, 1, EXPRESSION_COMPARE);
	const struct expression *first = at(view, 2, EXPRESSION_COMPARE),
				*last = at(view, 3, EXPRESSION_COMPARE);

	ret->kind = MATCH_OWNED;
	if (looked_up) {
		ret->kind = MATCH_USER_IN;
		name_from(looked_up, ret);
	} else if (one) {
		ret->kind = MATCH_USER;
		ret->users = (struct range){ number_from(one), number_from(one) };
	} else if (first && last && ntohl(number_from(last)) <= UID_LAST) {
		ret->kind = MATCH_USER;
		ret->users = (struct range){ ntohl(number_from(first)), ntohl(number_from(last)) };
	}
}

static bool guess_meta(const struct view *view, struct statement *ret)
{
	const struct expression *compared = at(view, 1, EXPRESSION_COMPARE);

	switch (view->items[0].key) {
	case NFT_META_SKUID:
		guess_user(view, ret);
		return true;
	case NFT_META_OIFNAME:
	case NFT_META_IIFNAME:
		ret->kind = view->items[0].key == NFT_META_OIFNAME ? MATCH_OUT_LOOPBACK
								   : MATCH_IN_LOOPBACK;
		ret->negate = compared && compared->key == NFT_CMP_NEQ;
		return true;
	case NFT_META_L4PROTO:
		ret->kind = MATCH_PROTOCOL;
		return guess_bytes(view, 1, ret);
	}
	return false;
}

static bool guess_ct(const struct view *view, struct statement *ret)
{
	const struct expression *bitwise = at(view, 1, EXPRESSION_BITWISE);
	const struct expression *compared = at(view, bitwise ? 2 : 1, EXPRESSION_COMPARE);
	static const uint8_t zeros[EXPRESSION_DATA_MAX];
	static const uint32_t published = PUBLISHED_MARK;

	if (view->items[0].key == NFT_CT_STATUS) {
		ret->kind = MATCH_CT_FIRST;
	} else if (compared) {
		ret->kind = !bitwise ? MATCH_CT_REPLY
			    : memcmp(bitwise->mask, &published, sizeof(published))
				    ? MATCH_CT_MARK
				    : MATCH_CT_PUBLISHED;
		ret->negate = !memcmp(compared->data, zeros, sizeof(zeros));
	} else if (bitwise) {
		ret->kind = !memcmp(bitwise->data, zeros, sizeof(zeros)) ? CLEAR_CT_MARK
			    : memcmp(bitwise->data, &published, sizeof(published))
				    ? SET_CT_MARK
				    : SET_CT_PUBLISHED;
	}
	return compared || bitwise;
}

static void guess_local(const struct view *view, size_t index, struct statement *ret)
{
	const struct expression *compared = at(view, index + 1, EXPRESSION_COMPARE);

	ret->kind = view->items[index].offset == NFTA_FIB_F_DADDR ? MATCH_DESTINATION_LOCAL
								  : MATCH_SOURCE_LOCAL;
	ret->negate = compared && compared->key == NFT_CMP_NEQ;
}

static bool guess_verdict(const struct expression *verdict, struct statement *ret)
{
	name_from(verdict, ret);
	ret->kind = GOTO;
	if (verdict->key == NF_ACCEPT)
		ret->kind = ACCEPT;
	else if (verdict->key == NF_DROP)
		ret->kind = DROP;
	return true;
}

/*
 * What the statement may be that begins the view; `skip` dependencies stand before what tells it.
 */
static bool guess(const struct view *view, size_t skip, uint8_t protocol, struct statement *ret)
{
	const struct expression *told = &view->items[skip];

	switch (told->kind) {
	case EXPRESSION_PAYLOAD:
		return guess_payload(view, skip, protocol, ret);
	case EXPRESSION_META:
		return !skip && guess_meta(view, ret);
	case EXPRESSION_CT_LOAD:
		return !skip && guess_ct(view, ret);
	case EXPRESSION_CT_TUPLE:
		return !skip && guess_ports(view, 1, MATCH_CT_ORIGINAL_PORTS, ret);
	case EXPRESSION_FIB:
		guess_local(view, skip, ret);
		return true;
	case EXPRESSION_COUNTER:
		ret->kind = COUNT;
		ret->counter.packets = told->packets;
		ret->counter.bytes = told->bytes;
		return true;
	case EXPRESSION_LOG:
		ret->kind = LOG;
		return true;
	case EXPRESSION_VERDICT:
		return guess_verdict(told, ret);
	case EXPRESSION_REJECT:
		ret->kind = told->key == NFT_REJECT_TCP_RST ? REJECT_RESET : REJECT_PROHIBITED;
		return true;
	case EXPRESSION_BYTEORDER:
	case EXPRESSION_COMPARE:
	case EXPRESSION_BITWISE:
	case EXPRESSION_LOOKUP:
	case EXPRESSION_CT_STORE:
	case EXPRESSION_FOREIGN:
		break;
	}
	return false;
}

/* How many expressions of the view the statement stands for exactly; 0: it does not. */
static size_t confirm(const struct view *view, const struct statement *statement,
		      struct rule_context *context)
{
	struct expressions expanded = { 0 };
	struct rule_context after = *context;
	struct err ignored;
	size_t count = 0;

	if (statement_expand(statement, &after, &expanded, &ignored) &&
	    expanded.count <= view->count) {
		while (count < expanded.count &&
		       expression_equal(&expanded.items[count], &view->items[count]))
			count++;
		if (count < expanded.count)
			count = 0;
	}
	if (count)
		*context = after;
	expressions_free(&expanded);
	return count;
}

/* Reads one statement from the front of the view and returns how many expressions it took. */
static size_t decode_one(const struct view *view, struct rule_context *context,
			 struct statement *ret)
{
	size_t skip = dependencies(view), count;
	uint8_t protocol = context->protocols[0];

	if (skip >= view->count)
		skip = 0;
	if (skip && is_meta(view, skip - 2, NFT_META_L4PROTO))
		protocol = view->items[skip - 1].data[0];
	/* First with the dependencies as its own, then as statements by themselves. */
	for (;; skip = 0) {
		struct statement guessed = { 0 };

		if (guess(view, skip, protocol, &guessed)) {
			count = confirm(view, &guessed, context);
			if (count) {
				*ret = guessed;
				return count;
			}
		}
		rangeset_free(&guessed.ports);
		if (!skip)
			break;
	}
	*ret = (struct statement){ .kind = FOREIGN };
	memcpy(ret->name, view->items[0].text, sizeof(ret->name));
	return 1;
}

void rule_decode(enum table_family table, const struct expressions *expressions, struct rule *ret)
{
	struct rule_context context = rule_context(table);
	struct rule rule = { .statements = memory_allocate(expressions->count,
							   sizeof(*rule.statements)) };

	for (size_t i = 0; i < expressions->count;) {
		const struct view rest = { expressions->items + i, expressions->count - i };

		i += decode_one(&rest, &context, &rule.statements[rule.count++]);
	}
	*ret = rule;
}
