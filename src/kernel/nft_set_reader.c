/* nft_set_reader.c: the sets of a table that is read, and their elements. */
#include "kernel/nft_table_reader.h"

#include "base/memory.h"

#include <linux/netfilter/nf_tables.h>
#include <stdio.h>
#include <string.h>

static const char another_type[] = "a set of something else";
static const char odd_element[] =
	"a set with an element that is more than a key: with a time, a counter, a comment or data";
static const char odd_range[] = "a set with a range that has no end";

/* What a set with these flags is, where it is none of ours; NULL: they are flags of ours. */
static const char *strange_flags(uint32_t flags)
{
	const uint32_t usual = NFT_SET_ANONYMOUS | NFT_SET_CONSTANT | NFT_SET_INTERVAL;

	if (flags & (NFT_SET_MAP | NFT_SET_OBJECT))
		return "a map";
	if (flags & (NFT_SET_TIMEOUT | NFT_SET_EVAL))
		return "a set whose elements come and go by themselves";
	return flags & ~usual ? "a set of another kind" : NULL;
}

/* Anonymous sets are told by their width alone. */
static bool named_type(uint32_t number, enum set_type *ret)
{
	static const enum set_type types[] = { SET_UID, SET_IPV4, SET_IPV6, SET_PORT };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (set_type_number(types[i]) == number) {
			*ret = types[i];
			return true;
		}
	}
	return false;
}

bool table_reader_take_set(struct table_reader *reader, const struct netlink_message *message)
{
	uint32_t flags = 0, type = 0, width = 0;
	struct read_set set = { .type = SET_PORT };

	if (!attribute_u32(message->payload, NFTA_SET_KEY_LEN, &width))
		return false;
	if (!attribute_text(message->payload, NFTA_SET_NAME, set.name, sizeof(set.name)))
		snprintf(set.name, sizeof(set.name), "(a set with a long name)");
	attribute_u32(message->payload, NFTA_SET_FLAGS, &flags);
	attribute_u32(message->payload, NFTA_SET_KEY_TYPE, &type);
	attribute_u32(message->payload, NFTA_SET_ID, &set.id);
	set.anonymous = flags & NFT_SET_ANONYMOUS;
	set.interval = flags & NFT_SET_INTERVAL;
	set.width = width;
	set.strange = strange_flags(flags);
	if (!set.strange && (!width || width > KEY_WIDTH_MAX ||
			     (!set.anonymous &&
			      (!named_type(type, &set.type) || width != set_type_width(set.type)))))
		set.strange = another_type;
	if (set.strange) {
		set.type = SET_FOREIGN;
		set.interval = false;
		set.width = set_type_width(SET_FOREIGN);
	}
	set.collected.starts = set.collected.ends = keyset_new(set.width, false);
	set.keys = keyset_new(set.width, set.interval);
	if ((reader->set_count & (reader->set_count - 1)) == 0)
		reader->sets =
			memory_resize(reader->sets, reader->set_count ? 2 * reader->set_count : 1,
				      sizeof(*reader->sets));
	reader->sets[reader->set_count++] = set;
	return true;
}

/* Sets of a batch that is not committed yet share one name and have ids. */
struct read_set *table_reader_find_set(struct table_reader *reader, const char *name, uint32_t id)
{
	for (size_t i = 0; i < reader->set_count; i++)
		if (id ? reader->sets[i].id == id : !strcmp(reader->sets[i].name, name))
			return &reader->sets[i];
	return NULL;
}

static void take_element(struct read_set *set, const struct element *element)
{
	if (set->stream)
		set_stream_take(set->stream, element);
	else if (element->end && !set->interval)
		set->strange = odd_element;
	else
		keyset_add(element->end ? &set->collected.ends : &set->collected.starts,
			   element->key);
}

bool table_reader_take_elements(struct table_reader *reader, const struct netlink_message *message)
{
	char name[RULESET_NAME_SIZE];
	struct attribute list;
	struct element element;
	struct read_set *set;
	uint32_t id = 0;
	bool strange;

	attribute_u32(message->payload, NFTA_SET_ELEM_LIST_SET_ID, &id);
	if (!attribute_text(message->payload, NFTA_SET_ELEM_LIST_SET, name, sizeof(name)))
		return false;
	set = table_reader_find_set(reader, name, id);
	if (!set || reader->sealed)
		return false;
	if (set->strange || !attribute_find(message->payload, NFTA_SET_ELEM_LIST_ELEMENTS, &list))
		return true;
	while (element_next(&list.payload, set->width, &element, &strange))
		take_element(set, &element);
	if (strange)
		set->strange = odd_element;
	return true;
}

void table_reader_seal(struct table_reader *reader)
{
	for (size_t i = 0; i < reader->set_count && !reader->sealed; i++) {
		struct read_set *set = &reader->sets[i];

		if (set->stream || set->strange)
			continue;
		if (set->interval) {
			set->strange =
				interval_join(&set->collected, &set->keys) ? NULL : odd_range;
		} else {
			keyset_seal(&set->collected.starts);
			set->keys = set->collected.starts;
			set->collected.starts = keyset_new(set->width, false);
		}
	}
	reader->sealed = true;
}
