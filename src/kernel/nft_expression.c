/*
 * nft_expression.c: the nf_tables expressions that our statements are made of, as values and as
 * attributes.
 */
#include "kernel/nft_expression.h"

#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/nft_batch.h"
#include "kernel/nft_shape.h"

#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

/* The attributes that nft(8) writes, in its order. */
const struct shape shapes[EXPRESSION_FOREIGN] = {
	[EXPRESSION_META] = { "meta",
			      { { FIELD_KEY, NFTA_META_KEY, 0 },
				{ FIELD_FIXED, NFTA_META_DREG, NFT_REG_1 } } },
	[EXPRESSION_BYTEORDER] = { "byteorder",
				   { { FIELD_FIXED, NFTA_BYTEORDER_SREG, NFT_REG_1 },
				     { FIELD_FIXED, NFTA_BYTEORDER_DREG, NFT_REG_1 },
				     { FIELD_KEY, NFTA_BYTEORDER_OP, 0 },
				     { FIELD_FIXED, NFTA_BYTEORDER_LEN, 4 },
				     { FIELD_FIXED, NFTA_BYTEORDER_SIZE, 4 } } },
	[EXPRESSION_COMPARE] = { "cmp",
				 { { FIELD_FIXED, NFTA_CMP_SREG, NFT_REG_1 },
				   { FIELD_KEY, NFTA_CMP_OP, 0 },
				   { FIELD_DATA, NFTA_CMP_DATA, 0 } } },
	[EXPRESSION_PAYLOAD] = { "payload",
				 { { FIELD_FIXED, NFTA_PAYLOAD_DREG, NFT_REG_1 },
				   { FIELD_KEY, NFTA_PAYLOAD_BASE, 0 },
				   { FIELD_OFFSET, NFTA_PAYLOAD_OFFSET, 0 },
				   { FIELD_LENGTH, NFTA_PAYLOAD_LEN, 0 } } },
	[EXPRESSION_BITWISE] = { "bitwise",
				 { { FIELD_FIXED, NFTA_BITWISE_SREG, NFT_REG_1 },
				   { FIELD_FIXED, NFTA_BITWISE_DREG, NFT_REG_1 },
				   { FIELD_LENGTH, NFTA_BITWISE_LEN, 0 },
				   { FIELD_MASK, NFTA_BITWISE_MASK, 0 },
				   { FIELD_DATA, NFTA_BITWISE_XOR, 0 } } },
	[EXPRESSION_LOOKUP] = { "lookup",
				{ { FIELD_FIXED, NFTA_LOOKUP_SREG, NFT_REG_1 },
				  { FIELD_SET, NFTA_LOOKUP_SET, 0 },
				  { FIELD_ABSENT, NFTA_LOOKUP_DREG, 0 } } },
	[EXPRESSION_FIB] = { "fib",
			     { { FIELD_FIXED, NFTA_FIB_DREG, NFT_REG_1 },
			       { FIELD_KEY, NFTA_FIB_RESULT, 0 },
			       { FIELD_OFFSET, NFTA_FIB_FLAGS, 0 } } },
	[EXPRESSION_CT_LOAD] = { "ct",
				 { { FIELD_KEY, NFTA_CT_KEY, 0 },
				   { FIELD_FIXED, NFTA_CT_DREG, NFT_REG_1 },
				   { FIELD_ABSENT, NFTA_CT_DIRECTION, 0 } } },
	[EXPRESSION_CT_STORE] = { "ct",
				  { { FIELD_KEY, NFTA_CT_KEY, 0 },
				    { FIELD_FIXED, NFTA_CT_SREG, NFT_REG_1 },
				    { FIELD_ABSENT, NFTA_CT_DIRECTION, 0 } } },
	[EXPRESSION_CT_TUPLE] = { "ct",
				  { { FIELD_KEY, NFTA_CT_KEY, 0 },
				    { FIELD_FIXED, NFTA_CT_DREG, NFT_REG_1 },
				    { FIELD_OFFSET_8, NFTA_CT_DIRECTION, 0 } } },
	[EXPRESSION_COUNTER] = { "counter",
				 { { FIELD_BYTES, NFTA_COUNTER_BYTES, 0 },
				   { FIELD_PACKETS, NFTA_COUNTER_PACKETS, 0 } } },
	[EXPRESSION_LOG] = { "log",
			     { { FIELD_NAME, NFTA_LOG_PREFIX, 0 },
			       { FIELD_KEY_16, NFTA_LOG_GROUP, 0 } } },
	[EXPRESSION_VERDICT] = { "immediate",
				 { { FIELD_FIXED, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT },
				   { FIELD_VERDICT, NFTA_IMMEDIATE_DATA, 0 } } },
	[EXPRESSION_REJECT] = { "reject",
				{ { FIELD_KEY, NFTA_REJECT_TYPE, 0 },
				  { FIELD_OFFSET_8, NFTA_REJECT_ICMP_CODE, 0 } } },
};
void expressions_free(struct expressions *expressions)
{
	for (size_t i = 0; i < expressions->count; i++)
		keyset_free(&expressions->items[i].set.keys);
	free(expressions->items);
	*expressions = (struct expressions){ 0 };
}

struct expression *expressions_add(struct expressions *expressions, enum expression_kind kind)
{
	struct expression *added;

	expressions->items = memory_resize(expressions->items, expressions->count + 1,
					   sizeof(*expressions->items));
	added = &expressions->items[expressions->count++];
	*added = (struct expression){ .kind = kind };
	return added;
}

void expressions_add_meta(struct expressions *expressions, uint32_t key)
{
	expressions_add(expressions, EXPRESSION_META)->key = key;
}

void expressions_add_payload(struct expressions *expressions, uint32_t base, size_t offset,
			     size_t length)
{
	struct expression *added = expressions_add(expressions, EXPRESSION_PAYLOAD);

	added->key = base;
	added->offset = (uint32_t)offset;
	added->length = (uint32_t)length;
}

void expressions_add_compare(struct expressions *expressions, uint32_t operation, const void *data,
			     size_t length)
{
	struct expression *added = expressions_add(expressions, EXPRESSION_COMPARE);

	added->key = operation;
	added->length = (uint32_t)length;
	memcpy(added->data, data, length);
}

void expressions_add_mask(struct expressions *expressions, const void *mask, const void *data,
			  size_t length)
{
	struct expression *added = expressions_add(expressions, EXPRESSION_BITWISE);

	added->length = (uint32_t)length;
	memcpy(added->mask, mask, length);
	if (data)
		memcpy(added->data, data, length);
}

bool expression_equal(const struct expression *one, const struct expression *other)
{
	return one->kind == other->kind && one->key == other->key && one->offset == other->offset &&
	       one->length == other->length && !memcmp(one->data, other->data, sizeof(one->data)) &&
	       !memcmp(one->mask, other->mask, sizeof(one->mask)) &&
	       !strcmp(one->name, other->name) && one->set.present == other->set.present &&
	       (!one->set.present || keyset_equal(&one->set.keys, &other->set.keys));
}

static void put_value(struct buffer *out, uint16_t attribute, const uint8_t *value, size_t length)
{
	size_t nest = netlink_nest_begin(out, attribute);

	netlink_put(out, NFTA_DATA_VALUE, value, length);
	netlink_nest_end(out, nest);
}

static void put_verdict(struct buffer *out, uint16_t attribute, const struct expression *expression)
{
	size_t data = netlink_nest_begin(out, attribute),
	       verdict = netlink_nest_begin(out, NFTA_DATA_VERDICT);

	netlink_put_u32(out, NFTA_VERDICT_CODE, expression->key);
	if (*expression->name)
		netlink_put_text(out, NFTA_VERDICT_CHAIN, expression->name);
	netlink_nest_end(out, verdict);
	netlink_nest_end(out, data);
}

static void put_set(struct buffer *out, uint16_t attribute, const struct expression *expression,
		    uint32_t set_id)
{
	netlink_put_text(out, attribute,
			 expression->set.present ? ANONYMOUS_SET : expression->name);
	if (expression->set.present)
		netlink_put_u32(out, NFTA_LOOKUP_SET_ID, set_id);
}

static void put_field(struct buffer *out, const struct field *field,
		      const struct expression *expression, uint32_t set_id)
{
	static const uint64_t zero;
	const uint16_t narrow_key = htobe16((uint16_t)expression->key);
	const uint8_t narrow_offset = (uint8_t)expression->offset;

	switch (field->kind) {
	case FIELD_END:
	case FIELD_ABSENT:
		break;
	case FIELD_FIXED:
		netlink_put_u32(out, field->attribute, field->fixed);
		break;
	case FIELD_KEY:
		netlink_put_u32(out, field->attribute, expression->key);
		break;
	case FIELD_KEY_16:
		netlink_put(out, field->attribute, &narrow_key, sizeof(narrow_key));
		break;
	case FIELD_OFFSET:
		netlink_put_u32(out, field->attribute, expression->offset);
		break;
	case FIELD_OFFSET_8:
		netlink_put(out, field->attribute, &narrow_offset, sizeof(narrow_offset));
		break;
	case FIELD_LENGTH:
		netlink_put_u32(out, field->attribute, expression->length);
		break;
	case FIELD_DATA:
		put_value(out, field->attribute, expression->data, expression->length);
		break;
	case FIELD_MASK:
		put_value(out, field->attribute, expression->mask, expression->length);
		break;
	case FIELD_NAME:
		netlink_put_text(out, field->attribute, expression->name);
		break;
	case FIELD_SET:
		put_set(out, field->attribute, expression, set_id);
		break;
	case FIELD_VERDICT:
		put_verdict(out, field->attribute, expression);
		break;
	case FIELD_PACKETS:
	case FIELD_BYTES:
		netlink_put(out, field->attribute, &zero, sizeof(zero));
		break;
	}
}

void expression_write(struct buffer *out, const struct expression *expression, uint32_t set_id)
{
	const struct shape *shape;
	size_t data;

	/*
	 * Statements never expand to a foreign expression, and leaving one out would widen the
	 * rule.
	 */
	if (expression->kind >= EXPRESSION_FOREIGN)
		abort();
	shape = &shapes[expression->kind];
	netlink_put_text(out, NFTA_EXPR_NAME, shape->name);
	data = netlink_nest_begin(out, NFTA_EXPR_DATA);
	for (size_t i = 0; i < FIELDS_MAX; i++)
		put_field(out, &shape->fields[i], expression, set_id);
	netlink_nest_end(out, data);
}
