/* nft_expression_read.c: expressions as the kernel dumps them, each exactly understood or foreign. */
#include "kernel/nft_expression.h"

#include "kernel/netlink.h"
#include "kernel/nft_shape.h"

#include <linux/netfilter/nf_tables.h>
#include <stdio.h>
#include <string.h>

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

static bool take_narrow(const struct reading *reading, uint16_t attribute, size_t width,
			uint32_t *ret)
{
	struct attribute found;
	uint16_t wide;
	uint8_t narrow;

	if (!attribute_find(reading->data, attribute, &found) ||
	    cursor_left(&found.payload) != width)
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
		return attribute_u32(reading->data, field->attribute, &value) &&
		       value == field->fixed;
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
		return attribute_text(reading->data, field->attribute, into->name,
				      sizeof(into->name));
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

/*
 * What the shape has no field for must say nothing, that is be zero: flags, another operation, a
 * second register, ...
 */
static bool rest_is_idle(const struct shape *shape, struct cursor data)
{
	struct attribute attribute;

	while (attribute_next(&data, &attribute)) {
		bool known =
			shape == &shapes[EXPRESSION_LOOKUP] && attribute.type == NFTA_LOOKUP_SET_ID;
		uint8_t byte;

		for (size_t i = 0; i < FIELDS_MAX && !known; i++)
			known = shape->fields[i].kind != FIELD_END &&
				shape->fields[i].attribute == attribute.type;
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
			snprintf(reading->into->text, sizeof(reading->into->text), "%s %d", name,
				 (int)reading->into->key);
			return;
		}
		keyset_free(&reading->into->set.keys);
	}
	*reading->into = (struct expression){ .kind = EXPRESSION_FOREIGN };
	snprintf(reading->into->text, sizeof(reading->into->text), "%s", name);
}

void expressions_read(struct cursor list, find_anonymous *find, void *context,
		      struct expressions *ret)
{
	struct reading reading = { .find = find, .context = context };
	struct attribute element;

	*ret = (struct expressions){ 0 };
	while (attribute_next(&list, &element)) {
		reading.into = expressions_add(ret, EXPRESSION_FOREIGN);
		read_one(element.payload, &reading);
	}
}
