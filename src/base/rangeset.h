/* rangeset.h: a set of numbers (uids, ports) as sorted ranges that neither overlap nor touch. */
#ifndef EGRESSFW_BASE_RANGESET_H
#define EGRESSFW_BASE_RANGESET_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
	uint32_t first, last; /* both belong to the range; first <= last */
};

/* Starts as { 0 }, the empty set. */
struct rangeset {
	struct range *items;
	size_t count;
};

void rangeset_free(struct rangeset *set);

/* Adds first..last and keeps the set sorted and merged. */
void rangeset_add(struct rangeset *set, uint32_t first, uint32_t last);
void rangeset_add_all(struct rangeset *set, const struct rangeset *other);

/* Takes first..last out. */
void rangeset_remove(struct rangeset *set, uint32_t first, uint32_t last);
void rangeset_remove_all(struct rangeset *set, const struct rangeset *other);

struct rangeset rangeset_copy(const struct rangeset *set);
bool rangeset_contains(const struct rangeset *set, uint32_t value);
bool rangeset_covers(const struct rangeset *set, const struct rangeset *part);
bool rangeset_equal(const struct rangeset *one, const struct rangeset *other);

/* Appends "80, 443, 8000-8010". */
void rangeset_print(const struct rangeset *set, struct buffer *out);

#endif
