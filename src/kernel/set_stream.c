/* set_stream.c: a large set compared with the kernel's elements while they pass by. */
#include "kernel/set_stream.h"

#include "base/memory.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

struct set_stream *set_stream_new(const struct keyset *wanted)
{
	struct set_stream *stream = memory_allocate(1, sizeof(*stream));

	stream->wanted = wanted;
	stream->marks = memory_allocate(2 * (wanted->count / 8 + 1), 1);
	return stream;
}

void set_stream_free(struct set_stream *stream)
{
	if (stream)
		free(stream->marks);
	free(stream);
}

/* Marks a key, or the end of an interval; false if it was marked before. */
static bool mark(struct set_stream *stream, bool end, size_t index)
{
	uint8_t *byte = &stream->marks[(end ? stream->wanted->count / 8 + 1 : 0) + index / 8];
	uint8_t bit = (uint8_t)(1 << index % 8);

	if (*byte & bit)
		return false;
	*byte |= bit;
	return true;
}

static uint64_t load(const uint8_t *bytes)
{
	uint64_t wire;

	memcpy(&wire, bytes, sizeof(wire));
	return be64toh(wire);
}

/* memcmp() for the widths that large sets have, which the compiler can put into the search. */
static inline int compare(const uint8_t *one, const uint8_t *other, size_t width)
{
	uint32_t left, right;
	uint64_t high, other_high;

	if (width == sizeof(left)) {
		memcpy(&left, one, sizeof(left));
		memcpy(&right, other, sizeof(right));
		left = be32toh(left);
		right = be32toh(right);
		return (left > right) - (left < right);
	}
	if (width != 2 * sizeof(high))
		return memcmp(one, other, width);
	high = load(one);
	other_high = load(other);
	if (high == other_high) {
		high = load(one + sizeof(high));
		other_high = load(other + sizeof(high));
	}
	return (high > other_high) - (high < other_high);
}

/* Finds the key among the first or the last keys; *ret is its index. */
static bool find(const struct set_stream *stream, const uint8_t *key, bool among_last, size_t *ret)
{
	const struct keyset *wanted = stream->wanted;
	const uint8_t *keys = among_last ? wanted->last : wanted->first;
	size_t width = wanted->width, base = 0;

	if (!wanted->count)
		return false;
	for (size_t near = stream->last; near < wanted->count && near <= stream->last + 1; near++) {
		if (!compare(keys + near * width, key, width)) {
			*ret = near;
			return true;
		}
	}
	/* Hash order is random: a search whose steps do not depend on a guess of the processor. */
	for (size_t left = wanted->count; left > 1;) {
		size_t half = left / 2;

		base += compare(keys + (base + half) * width, key, width) <= 0 ? half : 0;
		left -= half;
	}
	*ret = base;
	return !compare(keys + base * width, key, width);
}

void set_stream_take(struct set_stream *stream, const struct element *element)
{
	const struct keyset *wanted = stream->wanted;
	uint8_t key[KEY_WIDTH_MAX];
	size_t index;

	memcpy(key, element->key, wanted->width);
	if (element->end && !wanted->interval) {
		stream->differs = true;
		return;
	}
	/* An end stands behind the last key; one at zero only leads the set. */
	if (element->end && !key_decrement(key, wanted->width))
		return;
	if (!find(stream, key, element->end, &index)) {
		stream->differs = true;
		return;
	}
	stream->last = index;
	if (mark(stream, element->end, index))
		*(element->end ? &stream->ends : &stream->starts) += 1;
}

bool set_stream_is_equal(const struct set_stream *stream)
{
	const struct keyset *wanted = stream->wanted;
	size_t ends = wanted->interval ? wanted->count : 0;

	/* An interval up to the highest key has no end. */
	for (size_t i = 0; ends && i < wanted->width; i++) {
		if (keyset_last(wanted, wanted->count - 1)[i] != UINT8_MAX)
			break;
		if (i + 1 == wanted->width)
			ends--;
	}
	return !stream->differs && stream->starts == wanted->count && stream->ends == ends;
}
