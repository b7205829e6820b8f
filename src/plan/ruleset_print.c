/* ruleset_print.c: a ruleset as text that nft -f accepts. */
#include "plan/ruleset_print.h"

#include <inttypes.h>
#include <string.h>

/* Whether first..last is exactly one prefix; its length goes to *ret. */
static bool is_prefix(const struct address *first, const struct address *last, uint8_t *ret)
{
	struct prefix prefix;
	struct address end;
	uint8_t length = 0;

	while (length < address_bits(first->family) &&
	       !((first->bytes[length / 8] ^ last->bytes[length / 8]) & (0x80 >> (length % 8))))
		length++;
	prefix = prefix_of(first, length);
	end = prefix_last(&prefix);
	*ret = length;
	return !address_compare(&prefix.address, first) && !address_compare(&end, last);
}

static void print_addresses(enum family family, const uint8_t *first, const uint8_t *last,
			    struct buffer *out)
{
	struct prefix prefix = { .address.family = family };
	struct address end = { .family = family };
	char text[PREFIX_TEXT_SIZE], end_text[ADDRESS_TEXT_SIZE];

	memcpy(prefix.address.bytes, first, address_width(family));
	memcpy(end.bytes, last, address_width(family));
	if (is_prefix(&prefix.address, &end, &prefix.length))
		buffer_append_text(out, prefix_format(&prefix, text));
	else
		buffer_printf(out, "%s-%s", address_format(&prefix.address, text),
			      address_format(&end, end_text));
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
	const uint8_t *first = keyset_first(&set->keys, index);
	const uint8_t *last = keyset_last(&set->keys, index);

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
	case SET_FOREIGN:
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

/* The comment, unless it is empty, stands on the first rule. */
static void print_chain(const struct chain *chain, enum table_family family, const char *comment,
			struct buffer *out)
{
	buffer_printf(out, "\tchain %s {\n", chain->name);
	if (chain->base)
		buffer_printf(out, "\t\ttype filter hook %s priority %" PRId32 "; policy %s;\n",
			      hook_name(chain->hook), chain->priority,
			      chain->policy_drop ? "drop" : "accept");
	for (size_t i = 0; i < chain->count; i++) {
		buffer_append_text(out, "\t\t");
		rule_print(&chain->rules[i], family, out);
		if (!i && *comment)
			buffer_printf(out, " comment \"%s\"", comment);
		buffer_append_text(out, "\n");
	}
	buffer_append_text(out, "\t}\n");
}

void ruleset_print(const struct ruleset *ruleset, struct buffer *out)
{
	/* On the first rule: a table that stands cannot be given another comment. */
	const char *comment = ruleset->comment;

	buffer_printf(out, "table %s %s {\n", table_family_name(ruleset->family), ruleset->table);
	if (ruleset->flags & TABLE_FLAG_DORMANT)
		buffer_append_text(out, "\tflags dormant\n\n");
	for (size_t i = 0; i < ruleset->set_count; i++)
		print_set(&ruleset->sets[i], out);
	for (size_t i = 0; i < ruleset->chain_count; i++) {
		buffer_append_text(out, i ? "\n" : "");
		print_chain(&ruleset->chains[i], ruleset->family, comment, out);
		if (ruleset->chains[i].count)
			comment = "";
	}
	buffer_append_text(out, "}\n");
}
