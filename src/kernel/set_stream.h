/* set_stream.h: a large set compared with the kernel's elements while they pass by. */
#ifndef EGRESSFW_KERNEL_SET_STREAM_H
#define EGRESSFW_KERNEL_SET_STREAM_H

#include "base/keyset.h"
#include "kernel/nft_elements.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. Elements may come in any order and more than once. Each must be one that elements_write()
 * makes of the wanted keys, and is then marked; the set is equal when all of them have been marked.
 * The marks are all that is allocated.
 */
struct set_stream {
	const struct keyset *wanted;
	uint8_t *marks;      /* a bit per key; then, for intervals, a bit per end */
	size_t starts, ends; /* marked so far */
	size_t last;         /* index found last: dumps are often in order */
	bool differs;
};

struct set_stream *set_stream_new(const struct keyset *wanted);
void set_stream_free(struct set_stream *stream);
void set_stream_take(struct set_stream *stream, const struct element *element);
bool set_stream_is_equal(const struct set_stream *stream);

#endif
