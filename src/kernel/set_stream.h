/* set_stream.h: a large set compared with the kernel's elements while they pass by. */
#ifndef EGRESSFW_KERNEL_SET_STREAM_H
#define EGRESSFW_KERNEL_SET_STREAM_H

#include "base/keyset.h"
#include "kernel/nft_elements.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. The elements may come in any order. Each adds its digest, under a key that is drawn afresh,
 * to a sum; the set is equal when as many came as elements_write() makes of the wanted keys, and to
 * the same sum. Two different sets seem equal with a chance of about 1 in 2^64. An element that
 * comes twice makes the set differ: the caller then reads it in a way that says how.
 */
struct set_stream {
	const struct keyset *wanted;
	uint64_t seed[2];
	uint64_t sum; /* of what came, less what is wanted */
	size_t count, wanted_count;
};

/* `wanted` must live as long. `seed` is random. */
struct set_stream *set_stream_new(const struct keyset *wanted, const uint64_t seed[2]);
void set_stream_free(struct set_stream *stream);
void set_stream_take(struct set_stream *stream, const struct element *element);
bool set_stream_is_equal(const struct set_stream *stream);

#endif
