/* rangeset.c: a set of numbers (uids, ports) as sorted ranges that neither overlap nor touch. */
#include "base/rangeset.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void rangeset_free(struct rangeset *set)
{
	free(set->items);
	*set = (struct rangeset){ 0 };
}

/* The index of the first range that ends at `value` or behind it; count where there is none. */
static size_t find(const struct rangeset *set, uint64_t value)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->items[middle].last < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void rangeset_add(struct rangeset *set, uint32_t first, uint32_t last)
{
	/* A range is merged with all it overlaps or touches; 64 bits, so that nothing wraps. */
	size_t start = find(set, first ? (uint64_t)first - 1 : 0), end;

	for (end = start; end < set->count && set->items[end].first <= (uint64_t)last + 1; end++) {
		if (set->items[end].first < first)
			first = set->items[end].first;
		if (set->items[end].last > last)
			last = set->items[end].last;
	}
	if (end == start) {
		set->items = memory_resize(set->items, set->count + 1, sizeof(*set->items));
		memmove(&set->items[start + 1], &set->items[start],
			(set->count - start) * sizeof(*set->items));
		set->count++;
	} else {
		memmove(&set->items[start + 1], &set->items[end],
			(set->count - end) * sizeof(*set->items));
		set->count -= end - start - 1;
	}
	set->items[start] = (struct range){ first, last };
}

void rangeset_add_all(struct rangeset *set, const struct rangeset *other)
{
	for (size_t i = 0; i < other->count; i++)
		rangeset_add(set, other->items[i].first, other->items[i].last);
}

void rangeset_remove(struct rangeset *set, uint32_t first, uint32_t last)
{
	struct rangeset kept = { 0 };

	for (size_t i = 0; i < set->count; i++) {
		struct range item = set->items[i];

		if (item.first < first)
			rangeset_add(&kept, item.first, item.last < first ? item.last : first - 1);
		if (item.last > last)
			rangeset_add(&kept, item.first > last ? item.first : last + 1, item.last);
	}
	rangeset_free(set);
	*set = kept;
}

void rangeset_remove_all(struct rangeset *set, const struct rangeset *other)
{
	for (size_t i = 0; i < other->count; i++)
		rangeset_remove(set, other->items[i].first, other->items[i].last);
}

struct rangeset rangeset_copy(const struct rangeset *set)
{
	struct rangeset copy = { .count = set->count };

	if (set->count)
		copy.items = memory_copy(set->items, set->count * sizeof(*set->items));
	return copy;
}

bool rangeset_contains(const struct rangeset *set, uint32_t value)
{
	size_t index = find(set, value);

	return index < set->count && set->items[index].first <= value;
}

bool rangeset_covers(const struct rangeset *set, const struct rangeset *part)
{
	struct rangeset rest = rangeset_copy(part);
	bool covered;

	rangeset_remove_all(&rest, set);
	covered = rest.count == 0;
	rangeset_free(&rest);
	return covered;
}

bool rangeset_equal(const struct rangeset *one, const struct rangeset *other)
{
	return one->count == other->count &&
	       (one->count == 0 ||
		memcmp(one->items, other->items, one->count * sizeof(*one->items)) == 0);
}

void rangeset_print(const struct rangeset *set, struct buffer *out)
{
	for (size_t i = 0; i < set->count; i++) {
		buffer_append_text(out, i ? ", " : "");
		if (set->items[i].first == set->items[i].last)
			buffer_printf(out, "%" PRIu32, set->items[i].first);
		else
			buffer_printf(out, "%" PRIu32 "-%" PRIu32, set->items[i].first,
				      set->items[i].last);
	}
}
