/* set_stream.c: a large set compared with the kernel's elements while they pass by. */
#include "kernel/set_stream.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A keyed mixing of the key's bits, by multiplications with odd numbers that have no pattern. */
static uint64_t digest(const struct set_stream *stream, const uint8_t *key, bool end)
{
	size_t width = stream->wanted->width;
	uint64_t low = 0, high = 0, mixed;

	if (width == sizeof(uint32_t)) {
		memcpy(&low, key, sizeof(uint32_t));
	} else if (width == 2 * sizeof(low)) {
		memcpy(&low, key, sizeof(low));
		memcpy(&high, key + sizeof(low), sizeof(high));
	} else {
		memcpy(&low, key, width);
	}
	mixed = (low ^ stream->seed[0]) * 0x9e3779b97f4a7c15;
	mixed = (mixed ^ mixed >> 32) + high;
	mixed = (mixed ^ stream->seed[1]) * 0xd6e8feb86659fd93;
	mixed = (mixed ^ mixed >> 32) + end;
	mixed = (mixed ^ stream->seed[0] >> 7) * 0xa0761d6478bd642f;
	return mixed ^ mixed >> 32;
}

static void want(struct set_stream *stream, const uint8_t *key, bool end)
{
	stream->sum -= digest(stream, key, end);
	stream->wanted_count++;
}

struct set_stream *set_stream_new(const struct keyset *wanted, const uint64_t seed[2])
{
	struct set_stream *stream = memory_allocate(1, sizeof(*stream));
	uint8_t behind[KEY_WIDTH_MAX];

	stream->wanted = wanted;
	memcpy(stream->seed, seed, sizeof(stream->seed));
	for (size_t i = 0; i < wanted->count; i++) {
		want(stream, keyset_first(wanted, i), false);
		if (!wanted->interval)
			continue;
		/* An interval up to the highest key has no end. */
		memcpy(behind, keyset_last(wanted, i), wanted->width);
		if (key_increment(behind, wanted->width))
			want(stream, behind, true);
	}
	return stream;
}

void set_stream_free(struct set_stream *stream)
{
	free(stream);
}

void set_stream_take(struct set_stream *stream, const struct element *element)
{
	static const uint8_t zero[KEY_WIDTH_MAX];

	/* An end at zero only leads the set. */
	if (element->end && stream->wanted->interval &&
	    !memcmp(element->key, zero, stream->wanted->width))
		return;
	stream->sum += digest(stream, element->key, element->end);
	stream->count++;
}

bool set_stream_is_equal(const struct set_stream *stream)
{
	return stream->count == stream->wanted_count && stream->sum == 0;
}
