/* ruleset_print.c: a ruleset as text that nft -f accepts. */
#include "plan/ruleset_print.h"

#include <inttypes.h>
#include <string.h>

/* The length of the prefix that is exactly first..last, or -1 where there is none. */
static int prefix_length(const uint8_t *first, const uint8_t *last, size_t width)
{
	int bits = (int)width * 8, length = 0;

	while (length < bits &&
	       !((first[length / 8] ^ last[length / 8]) & (0x80 >> (length % 8))))
		length++;
	for (int bit = length; bit < bits; bit++) {
		uint8_t mask = (uint8_t)(0x80 >> (bit % 8));

		if ((first[bit / 8] & mask) || !(last[bit / 8] & mask))
			return -1;
	}
	return length;
}

static void print_addresses(enum family family, const uint8_t *first, const uint8_t *last, struct buffer *out)
{
	size_t width = address_width(family);
	int length = prefix_length(first, last, width);
	struct prefix prefix = { .address.family = family, .length = address_bits(family) };
	char text[PREFIX_TEXT_SIZE];

	memcpy(prefix.address.bytes, first, width);
	if (length >= 0)
		prefix.length = (uint8_t)length;
	buffer_append_text(out, prefix_format(&prefix, text));
	if (length >= 0)
		return;
	memcpy(prefix.address.bytes, last, width);
	buffer_printf(out, "-%s", prefix_format(&prefix, text));
}

static uint32_t number_of(const uint8_t *key, size_t width)
{
	uint32_t number = 0;

	for (size_t i = 0; i < width; i++)
		number = number << 8 | key[i];
	return number;
}

void set_print_element(const struct set *set, size_t index, struct buffer *out)
{
	const uint8_t *first = keyset_first(&set->keys, index), *last = keyset_last(&set->keys, index);

	switch (set->type) {
	case SET_IPV4:
		print_addresses(FAMILY_IPV4, first, last, out);
		break;
	case SET_IPV6:
		print_addresses(FAMILY_IPV6, first, last, out);
		break;
	case SET_UID:
	case SET_PORT:
		buffer_printf(out, "%" PRIu32, number_of(first, set->keys.width));
		if (memcmp(first, last, set->keys.width) != 0)
			buffer_printf(out, "-%" PRIu32, number_of(last, set->keys.width));
		break;
	}
}

static void print_set(const struct set *set, struct buffer *out)
{
	buffer_printf(out, "\tset %s {\n\t\ttype %s\n", set->name, set_type_name(set->type));
	if (set->keys.interval)
		buffer_append_text(out, "\t\tflags interval\n");
	else
		buffer_printf(out, "\t\tsize %zu\n", set->keys.count);
	if (set->keys.count) {
		buffer_append_text(out, "\t\telements = { ");
		for (size_t i = 0; i < set->keys.count; i++) {
			buffer_append_text(out, i ? ", " : "");
			set_print_element(set, i, out);
		}
		buffer_append_text(out, " }\n");
	}
	buffer_append_text(out, "\t}\n\n");
}

static void print_chain(const struct chain *chain, enum table_family family, struct buffer *out)
{
	buffer_printf(out, "\tchain %s {\n", chain->name);
	if (chain->base)
		buffer_printf(out, "\t\ttype filter hook %s priority %" PRId32 "; policy %s;\n",
			      hook_name(chain->hook), chain->priority,
			      chain->policy_drop ? "drop" : "accept");
	for (size_t i = 0; i < chain->count; i++) {
		buffer_append_text(out, "\t\t");
		rule_print(&chain->rules[i], family, out);
		buffer_append_text(out, "\n");
	}
	buffer_append_text(out, "\t}\n");
}

void ruleset_print(const struct ruleset *ruleset, struct buffer *out)
{
	buffer_printf(out, "table %s %s {\n", table_family_name(ruleset->family), ruleset->table);
	if (ruleset->comment[0])
		buffer_printf(out, "\tcomment \"%s\"\n", ruleset->comment);
	if (ruleset->flags & TABLE_FLAG_DORMANT)
		buffer_append_text(out, "\tflags dormant\n");
	if (ruleset->comment[0] || ruleset->flags & TABLE_FLAG_DORMANT)
		buffer_append_text(out, "\n");
	for (size_t i = 0; i < ruleset->set_count; i++)
		print_set(&ruleset->sets[i], out);
	for (size_t i = 0; i < ruleset->chain_count; i++) {
		buffer_append_text(out, i ? "\n" : "");
		print_chain(&ruleset->chains[i], ruleset->family, out);
	}
	buffer_append_text(out, "}\n");
}
