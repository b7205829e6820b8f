/* nft_expression.c: the nf_tables expressions that our statements are made of, as values and as attributes. */
#include "kernel/nft_expression.h"

#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/nft_batch.h"

#include <assert.h>
#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an attribute holds, and where in struct expression that stands. */
enum field_kind {
	FIELD_END,
	FIELD_FIXED,     /* 32 bits that are always the same */
	FIELD_KEY,       /* 32 bits */
	FIELD_KEY_16,    /* 16 bits, of key */
	FIELD_OFFSET,
	FIELD_OFFSET_8,  /* 8 bits, of offset; may be missing when read, and is then 0 */
	FIELD_LENGTH,
	FIELD_DATA,      /* NFTA_DATA_VALUE; as long as the length that was read before, or gives it */
	FIELD_MASK,
	FIELD_NAME,      /* text */
	FIELD_SET,       /* the name of a named or an anonymous set */
	FIELD_VERDICT,   /* NFTA_DATA_VERDICT: key, and name where there is one */
	FIELD_PACKETS,   /* 64 bits */
	FIELD_BYTES,
	FIELD_ABSENT,    /* never there: its zero says something */
};

enum { FIELDS_MAX = 6 };

struct field {
	enum field_kind kind;
	uint16_t attribute;
	uint32_t fixed;
};

/* The attributes that nft(8) writes, in its order. */
static const struct shape {
	const char *name;
	struct field fields[FIELDS_MAX];
} shapes[] = {
	[EXPRESSION_META] = { "meta", { { FIELD_KEY, NFTA_META_KEY, 0 }, { FIELD_FIXED, NFTA_META_DREG, NFT_REG_1 } } },
	[EXPRESSION_BYTEORDER] = { "byteorder", {
		{ FIELD_FIXED, NFTA_BYTEORDER_SREG, NFT_REG_1 }, { FIELD_FIXED, NFTA_BYTEORDER_DREG, NFT_REG_1 },
		{ FIELD_KEY, NFTA_BYTEORDER_OP, 0 }, { FIELD_FIXED, NFTA_BYTEORDER_LEN, 4 },
		{ FIELD_FIXED, NFTA_BYTEORDER_SIZE, 4 } } },
	[EXPRESSION_COMPARE] = { "cmp", {
		{ FIELD_FIXED, NFTA_CMP_SREG, NFT_REG_1 }, { FIELD_KEY, NFTA_CMP_OP, 0 },
		{ FIELD_DATA, NFTA_CMP_DATA, 0 } } },
	[EXPRESSION_PAYLOAD] = { "payload", {
		{ FIELD_FIXED, NFTA_PAYLOAD_DREG, NFT_REG_1 }, { FIELD_KEY, NFTA_PAYLOAD_BASE, 0 },
		{ FIELD_OFFSET, NFTA_PAYLOAD_OFFSET, 0 }, { FIELD_LENGTH, NFTA_PAYLOAD_LEN, 0 } } },
	[EXPRESSION_BITWISE] = { "bitwise", {
		{ FIELD_FIXED, NFTA_BITWISE_SREG, NFT_REG_1 }, { FIELD_FIXED, NFTA_BITWISE_DREG, NFT_REG_1 },
		{ FIELD_LENGTH, NFTA_BITWISE_LEN, 0 }, { FIELD_MASK, NFTA_BITWISE_MASK, 0 },
		{ FIELD_DATA, NFTA_BITWISE_XOR, 0 } } },
	[EXPRESSION_LOOKUP] = { "lookup", {
		{ FIELD_FIXED, NFTA_LOOKUP_SREG, NFT_REG_1 }, { FIELD_SET, NFTA_LOOKUP_SET, 0 },
		{ FIELD_ABSENT, NFTA_LOOKUP_DREG, 0 } } },
	[EXPRESSION_FIB] = { "fib", {
		{ FIELD_FIXED, NFTA_FIB_DREG, NFT_REG_1 }, { FIELD_KEY, NFTA_FIB_RESULT, 0 },
		{ FIELD_OFFSET, NFTA_FIB_FLAGS, 0 } } },
	[EXPRESSION_CT_LOAD] = { "ct", {
		{ FIELD_KEY, NFTA_CT_KEY, 0 }, { FIELD_FIXED, NFTA_CT_DREG, NFT_REG_1 },
		{ FIELD_ABSENT, NFTA_CT_DIRECTION, 0 } } },
	[EXPRESSION_CT_STORE] = { "ct", {
		{ FIELD_KEY, NFTA_CT_KEY, 0 }, { FIELD_FIXED, NFTA_CT_SREG, NFT_REG_1 },
		{ FIELD_ABSENT, NFTA_CT_DIRECTION, 0 } } },
	[EXPRESSION_COUNTER] = { "counter", {
		{ FIELD_BYTES, NFTA_COUNTER_BYTES, 0 }, { FIELD_PACKETS, NFTA_COUNTER_PACKETS, 0 } } },
	[EXPRESSION_LOG] = { "log", { { FIELD_NAME, NFTA_LOG_PREFIX, 0 }, { FIELD_KEY_16, NFTA_LOG_GROUP, 0 } } },
	[EXPRESSION_VERDICT] = { "immediate", {
		{ FIELD_FIXED, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT }, { FIELD_VERDICT, NFTA_IMMEDIATE_DATA, 0 } } },
	[EXPRESSION_REJECT] = { "reject", {
		{ FIELD_KEY, NFTA_REJECT_TYPE, 0 }, { FIELD_OFFSET_8, NFTA_REJECT_ICMP_CODE, 0 } } },
};
static_assert(sizeof(shapes) / sizeof(*shapes) == EXPRESSION_FOREIGN, "every kind of ours has a shape");

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

	expressions->items =
		memory_resize(expressions->items, expressions->count + 1, sizeof(*expressions->items));
	added = &expressions->items[expressions->count++];
	*added = (struct expression){ .kind = kind };
	return added;
}

bool expression_equal(const struct expression *one, const struct expression *other)
{
	return one->kind == other->kind && one->key == other->key && one->offset == other->offset &&
	       one->length == other->length && !memcmp(one->data, other->data, sizeof(one->data)) &&
	       !memcmp(one->mask, other->mask, sizeof(one->mask)) && !strcmp(one->name, other->name) &&
	       one->set.present == other->set.present &&
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
	size_t data = netlink_nest_begin(out, attribute), verdict = netlink_nest_begin(out, NFTA_DATA_VERDICT);

	netlink_put_u32(out, NFTA_VERDICT_CODE, expression->key);
	if (*expression->name)
		netlink_put_text(out, NFTA_VERDICT_CHAIN, expression->name);
	netlink_nest_end(out, verdict);
	netlink_nest_end(out, data);
}

static void put_set(struct buffer *out, uint16_t attribute, const struct expression *expression, uint32_t set_id)
{
	netlink_put_text(out, attribute, expression->set.present ? ANONYMOUS_SET : expression->name);
	if (expression->set.present)
		netlink_put_u32(out, NFTA_LOOKUP_SET_ID, set_id);
}

static void put_field(struct buffer *out, const struct field *field, const struct expression *expression,
		      uint32_t set_id)
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

	/* Statements never expand to a foreign expression, and leaving one out would widen the rule. */
	if (expression->kind >= EXPRESSION_FOREIGN)
		abort();
	shape = &shapes[expression->kind];
	netlink_put_text(out, NFTA_EXPR_NAME, shape->name);
	data = netlink_nest_begin(out, NFTA_EXPR_DATA);
	for (size_t i = 0; i < FIELDS_MAX; i++)
		put_field(out, &shape->fields[i], expression, set_id);
	netlink_nest_end(out, data);
}

/* Reading. */

struct reading {
	find_anonymous *find;
	void *context;
	struct cursor data; /* attributes of the expression */
	struct expression *into;
};

static bool take_value(const struct reading *reading, uint16_t attribute, bool mask)
{
	struct expression *into = reading->into;
	struct attribute outer, value;
	size_t length;

	if (!attribute_find(reading->data, attribute, &outer) ||
	    !attribute_find(outer.payload, NFTA_DATA_VALUE, &value))
		return false;
	length = cursor_left(&value.payload);
	if (!length || length > EXPRESSION_DATA_MAX || (into->length && length != into->length))
		return false;
	into->length = (uint32_t)length;
	memcpy(mask ? into->mask : into->data, cursor_take(&value.payload, length), length);
	return true;
}

static bool take_verdict(const struct reading *reading, uint16_t attribute)
{
	struct expression *into = reading->into;
	struct attribute outer, verdict, chain;

	if (!attribute_find(reading->data, attribute, &outer) ||
	    !attribute_find(outer.payload, NFTA_DATA_VERDICT, &verdict) ||
	    !attribute_u32(verdict.payload, NFTA_VERDICT_CODE, &into->key))
		return false;
	return !attribute_find(verdict.payload, NFTA_VERDICT_CHAIN, &chain) ||
	       attribute_text(verdict.payload, NFTA_VERDICT_CHAIN, into->name, sizeof(into->name));
}

static bool take_set(const struct reading *reading, uint16_t attribute)
{
	struct expression *into = reading->into;
	const struct keyset *keys;
	uint32_t id = 0;

	if (!attribute_text(reading->data, attribute, into->name, sizeof(into->name)))
		return false;
	attribute_u32(reading->data, NFTA_LOOKUP_SET_ID, &id);
	keys = reading->find(reading->context, into->name, id);
	if (keys) {
		into->set.present = true;
		into->set.keys = keyset_copy(keys);
		memset(into->name, 0, sizeof(into->name));
	}
	return true;
}

static bool take_narrow(const struct reading *reading, uint16_t attribute, size_t width, uint32_t *ret)
{
	struct attribute found;
	uint16_t wide;
	uint8_t narrow;

	if (!attribute_find(reading->data, attribute, &found) || cursor_left(&found.payload) != width)
		return false;
	if (width == sizeof(wide) && cursor_u16(&found.payload, &wide))
		*ret = wide;
	else if (cursor_u8(&found.payload, &narrow))
		*ret = narrow;
	return true;
}

static bool take_field(const struct reading *reading, const struct field *field)
{
	struct expression *into = reading->into;
	struct attribute there;
	uint32_t value;

	switch (field->kind) {
	case FIELD_END:
		return true;
	case FIELD_ABSENT:
		return !attribute_find(reading->data, field->attribute, &there);
	case FIELD_FIXED:
		return attribute_u32(reading->data, field->attribute, &value) && value == field->fixed;
	case FIELD_KEY:
		return attribute_u32(reading->data, field->attribute, &into->key);
	case FIELD_KEY_16:
		return take_narrow(reading, field->attribute, sizeof(uint16_t), &into->key);
	case FIELD_OFFSET:
		return attribute_u32(reading->data, field->attribute, &into->offset);
	case FIELD_OFFSET_8:
		return !attribute_find(reading->data, field->attribute, &there) ||
		       take_narrow(reading, field->attribute, sizeof(uint8_t), &into->offset);
	case FIELD_LENGTH:
		return attribute_u32(reading->data, field->attribute, &into->length);
	case FIELD_DATA:
	case FIELD_MASK:
		return take_value(reading, field->attribute, field->kind == FIELD_MASK);
	case FIELD_NAME:
		return attribute_text(reading->data, field->attribute, into->name, sizeof(into->name));
	case FIELD_SET:
		return take_set(reading, field->attribute);
	case FIELD_VERDICT:
		return take_verdict(reading, field->attribute);
	case FIELD_PACKETS:
		return attribute_u64(reading->data, field->attribute, &into->packets);
	case FIELD_BYTES:
		return attribute_u64(reading->data, field->attribute, &into->bytes);
	}
	return false;
}

/* What the shape has no field for must say nothing, that is be zero: flags, another operation, a second register, ... */
static bool rest_is_idle(const struct shape *shape, struct cursor data)
{
	struct attribute attribute;

	while (attribute_next(&data, &attribute)) {
		bool known = shape == &shapes[EXPRESSION_LOOKUP] && attribute.type == NFTA_LOOKUP_SET_ID;
		uint8_t byte;

		for (size_t i = 0; i < FIELDS_MAX && !known; i++)
			known = shape->fields[i].kind != FIELD_END && shape->fields[i].attribute == attribute.type;
		while (!known && cursor_u8(&attribute.payload, &byte))
			if (byte)
				return false;
	}
	return true;
}

static bool read_as(enum expression_kind kind, struct reading *reading)
{
	const struct shape *shape = &shapes[kind];

	*reading->into = (struct expression){ .kind = kind };
	for (size_t i = 0; i < FIELDS_MAX; i++)
		if (!take_field(reading, &shape->fields[i]))
			return false;
	return rest_is_idle(shape, reading->data);
}

static void read_one(struct cursor element, struct reading *reading)
{
	char name[32] = "an expression without a name";
	struct attribute data;

	reading->data = cursor_over(NULL, 0);
	attribute_text(element, NFTA_EXPR_NAME, name, sizeof(name));
	if (attribute_find(element, NFTA_EXPR_DATA, &data))
		reading->data = data.payload;
	for (enum expression_kind kind = 0; kind < EXPRESSION_FOREIGN; kind++) {
		if (!strcmp(shapes[kind].name, name) && read_as(kind, reading)) {
			snprintf(reading->into->text, sizeof(reading->into->text), "%s %d", name, (int)reading->into->key);
			return;
		}
		keyset_free(&reading->into->set.keys);
	}
	*reading->into = (struct expression){ .kind = EXPRESSION_FOREIGN };
	snprintf(reading->into->text, sizeof(reading->into->text), "%s", name);
}

void expressions_read(struct cursor list, find_anonymous *find, void *context, struct expressions *ret)
{
	struct reading reading = { .find = find, .context = context };
	struct attribute element;

	*ret = (struct expressions){ 0 };
	while (attribute_next(&list, &element)) {
		reading.into = expressions_add(ret, EXPRESSION_FOREIGN);
		read_one(element.payload, &reading);
	}
}
