/* nft_elements.c: the elements of sets, straight into a batch and straight out of a dump. */
#include "kernel/nft_elements.h"

#include "kernel/netlink.h"

#include <arpa/inet.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <string.h>

/* Room in one message: its list of elements must stay below 64 KiB. */
enum { MESSAGE_ELEMENTS_MAX = 60000, ELEMENT_ROOM = 64, MESSAGE_OVERHEAD = 256 };

/* An element as it stands in the message; `open` says that nothing ends this interval. */
static size_t put_element(uint8_t *out, const uint8_t *key, size_t width, bool end, bool open)
{
	/* By this nft(8) knows the interval to be open. */
	static const uint8_t open_data[] = { DATA_ELEMENT_FLAGS, 4, ELEMENT_FLAG_OPEN, 0, 0, 0 };
	const struct nlattr value = { (uint16_t)(NLA_HDRLEN + width), NFTA_DATA_VALUE };
	const struct nlattr keys = { (uint16_t)(NLA_HDRLEN + NLA_HDRLEN + NLA_ALIGN(width)),
				     NFTA_SET_ELEM_KEY | NLA_F_NESTED };
	struct nlattr element = { 0, NFTA_LIST_ELEM | NLA_F_NESTED };
	uint8_t *at = out + NLA_HDRLEN;

	if (end) {
		const struct nlattr flags = { NLA_HDRLEN + sizeof(uint32_t), NFTA_SET_ELEM_FLAGS };
		const uint32_t value_wire = htonl(NFT_SET_ELEM_INTERVAL_END);

		memcpy(at, &flags, NLA_HDRLEN);
		memcpy(at + NLA_HDRLEN, &value_wire, sizeof(value_wire));
		at += NLA_HDRLEN + sizeof(value_wire);
	}
	memcpy(at, &keys, NLA_HDRLEN);
	memcpy(at + NLA_HDRLEN, &value, NLA_HDRLEN);
	memset(at + 2 * NLA_HDRLEN, 0, NLA_ALIGN(width));
	memcpy(at + 2 * NLA_HDRLEN, key, width);
	at += keys.nla_len;
	if (open) {
		const struct nlattr data = { NLA_HDRLEN + sizeof(open_data),
					     NFTA_SET_ELEM_USERDATA };

		memset(at, 0, NLA_ALIGN(data.nla_len));
		memcpy(at, &data, NLA_HDRLEN);
		memcpy(at + NLA_HDRLEN, open_data, sizeof(open_data));
		at += NLA_ALIGN(data.nla_len);
	}
	element.nla_len = (uint16_t)(at - out);
	memcpy(out, &element, NLA_HDRLEN);
	return (size_t)(at - out);
}

/*
 * The kernel's elements of one of ours: one key, or first key and end. At most three ELEMENT_ROOMs.
 */
static size_t put_keys(uint8_t *out, const struct keyset *keys, size_t index, bool led)
{
	static const uint8_t zero[KEY_WIDTH_MAX];
	uint8_t behind[KEY_WIDTH_MAX];
	size_t length = 0;
	bool ended;

	if (!keys->interval)
		return put_element(out, keyset_first(keys, index), keys->width, false, false);
	if (led && !index && memcmp(keyset_first(keys, index), zero, keys->width))
		length = put_element(out, zero, keys->width, true, false);
	memcpy(behind, keyset_last(keys, index), keys->width);
	ended = key_increment(behind, keys->width);
	length += put_element(out + length, keyset_first(keys, index), keys->width, false, !ended);
	if (ended)
		length += put_element(out + length, behind, keys->width, true, false);
	return length;
}

/* One message. */
static void write_message(struct batch *batch, const struct element_target *target, size_t limit,
			  size_t *next)
{
	struct buffer *out = &batch->bytes;
	size_t start =
		batch_message(batch, target->type, NLM_F_CREATE, target->family, target->object);
	size_t list, end;

	netlink_put_text(out, NFTA_SET_ELEM_LIST_TABLE, target->table);
	netlink_put_text(out, NFTA_SET_ELEM_LIST_SET, target->set);
	if (target->set_id)
		netlink_put_u32(out, NFTA_SET_ELEM_LIST_SET_ID, target->set_id);
	list = netlink_nest_begin(out, NFTA_SET_ELEM_LIST_ELEMENTS);
	end = out->length + MESSAGE_ELEMENTS_MAX;
	if (limit && limit < end)
		end = limit;
	while (*next < target->keys->count && out->length + 3 * ELEMENT_ROOM <= end) {
		uint8_t *at = buffer_reserve(out, 3 * ELEMENT_ROOM);

		out->length +=
			put_keys(at, target->keys, *next, target->type == NFT_MSG_NEWSETELEM);
		++*next;
	}
	netlink_nest_end(out, list);
	batch_message_end(batch, start);
}

void elements_write(struct batch *batch, const struct element_target *target, size_t limit,
		    size_t *next)
{
	while (*next < target->keys->count) {
		if (limit && batch->bytes.length + MESSAGE_OVERHEAD + 3 * ELEMENT_ROOM > limit)
			return;
		write_message(batch, target, limit, next);
	}
}

/* Whether the user data is the mark of an open interval, which changes nothing. */
static bool is_harmless(struct cursor data)
{
	uint8_t type;

	return cursor_u8(&data, &type) && type == DATA_ELEMENT_FLAGS;
}

bool element_next(struct cursor *elements, size_t width, struct element *ret, bool *ret_strange)
{
	struct element element = { 0 };
	struct attribute outer, inner, value;
	uint32_t flags = 0;

	*ret_strange = false;
	if (!attribute_next(elements, &outer))
		return false;
	*ret_strange = true;
	while (attribute_next(&outer.payload, &inner)) {
		switch (inner.type) {
		case NFTA_SET_ELEM_KEY:
			if (!attribute_next(&inner.payload, &value) ||
			    value.type != NFTA_DATA_VALUE || cursor_left(&value.payload) != width)
				return false;
			element.key = cursor_take(&value.payload, width);
			break;
		case NFTA_SET_ELEM_FLAGS:
			if (!cursor_u32(&inner.payload, &flags) ||
			    flags & ~(uint32_t)NFT_SET_ELEM_INTERVAL_END)
				return false;
			element.end = flags;
			break;
		case NFTA_SET_ELEM_PAD:
			break;
		case NFTA_SET_ELEM_USERDATA:
			if (!is_harmless(inner.payload))
				return false;
			break;
		default: /* data, a timeout, an expression: it need not match as ours do */
			return false;
		}
	}
	if (!element.key)
		return false;
	*ret_strange = false;
	*ret = element;
	return true;
}

bool interval_join(struct interval_ends *collected, struct keyset *ret)
{
	struct keyset *starts = &collected->starts, *ends = &collected->ends;
	struct keyset joined = keyset_new(starts->width, true);
	static const uint8_t zero[KEY_WIDTH_MAX];
	size_t end = 0;

	keyset_seal(starts);
	keyset_seal(ends);
	/* The end element that leads the set ends nothing. */
	if (ends->count && !memcmp(keyset_first(ends, 0), zero, ends->width))
		end = 1;
	for (size_t i = 0; i < starts->count; i++) {
		uint8_t last[KEY_WIDTH_MAX];
		bool ended = end < ends->count, alone = i + 1 == starts->count;

		if (ended)
			memcpy(last, keyset_first(ends, end++), ends->width);
		else
			memset(last, 0, sizeof(last));
		if (ended && memcmp(last, keyset_first(starts, i), starts->width) <= 0)
			break;
		if (!alone &&
		    (!ended || memcmp(keyset_first(starts, i + 1), last, starts->width) < 0))
			break;
		key_decrement(last, starts->width);
		keyset_add_interval(&joined, keyset_first(starts, i), last);
	}
	if (joined.count != starts->count || end != ends->count) {
		keyset_free(&joined);
		return false;
	}
	keyset_seal(&joined);
	*ret = joined;
	return true;
}
