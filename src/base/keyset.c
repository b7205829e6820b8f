/* keyset.c: a sorted set of fixed-width keys, or of intervals of keys, in network byte order. */
#include "base/keyset.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct keyset keyset_new(size_t width, bool interval)
{
	return (struct keyset){ .width = width, .interval = interval };
}

void keyset_free(struct keyset *set)
{
	free(set->first);
	free(set->last);
	*set = keyset_new(set->width, set->interval);
}

struct keyset keyset_copy(const struct keyset *set)
{
	struct keyset copy = *set;

	copy.capacity = copy.count;
	copy.first = memory_copy(set->first, set->count * set->width);
	copy.last = set->interval ? memory_copy(set->last, set->count * set->width) : NULL;
	return copy;
}

static void append(struct keyset *set, const uint8_t *first, const uint8_t *last)
{
	if (set->count == set->capacity) {
		set->capacity = set->capacity ? set->capacity * 2 : 16;
		set->first = memory_resize(set->first, set->capacity, set->width);
		if (set->interval)
			set->last = memory_resize(set->last, set->capacity, set->width);
	}
	memcpy(set->first + set->count * set->width, first, set->width);
	if (set->interval)
		memcpy(set->last + set->count * set->width, last, set->width);
	set->count++;
}

void keyset_add(struct keyset *set, const uint8_t *key)
{
	append(set, key, key);
}

void keyset_add_interval(struct keyset *set, const uint8_t *first, const uint8_t *last)
{
	append(set, first, last);
}

static int compare_keys(const void *one, const void *other, void *width)
{
	return memcmp(one, other, *(const size_t *)width);
}

static bool is_sorted(const struct keyset *set)
{
	for (size_t i = 1; i < set->count; i++)
		if (memcmp(keyset_first(set, i - 1), keyset_first(set, i), set->width) >= 0)
			return false;
	return true;
}

static void seal_keys(struct keyset *set)
{
	size_t kept = 0;

	if (is_sorted(set))
		return;
	qsort_r(set->first, set->count, set->width, compare_keys, &set->width);
	for (size_t i = 0; i < set->count; i++) {
		if (kept && !memcmp(keyset_first(set, kept - 1), keyset_first(set, i), set->width))
			continue;
		memmove(set->first + kept * set->width, keyset_first(set, i), set->width);
		kept++;
	}
	set->count = kept;
}

/* Whether an interval that begins at `first` overlaps or touches one that ends at `last`. */
static bool joins(const uint8_t *last, const uint8_t *first, size_t width)
{
	uint8_t next[KEY_WIDTH_MAX];

	memcpy(next, last, width);
	return !key_increment(next, width) || memcmp(first, next, width) <= 0;
}

static void seal_intervals(struct keyset *set)
{
	size_t width = set->width, kept = 0;
	uint8_t *pairs = memory_allocate(set->count, 2 * width);

	for (size_t i = 0; i < set->count; i++) {
		memcpy(pairs + 2 * i * width, keyset_first(set, i), width);
		memcpy(pairs + (2 * i + 1) * width, keyset_last(set, i), width);
	}
	qsort_r(pairs, set->count, 2 * width, compare_keys, &width);
	for (size_t i = 0; i < set->count; i++) {
		const uint8_t *first = pairs + 2 * i * width, *last = first + width;

		if (kept && joins(keyset_last(set, kept - 1), first, width)) {
			if (memcmp(last, keyset_last(set, kept - 1), width) > 0)
				memcpy(set->last + (kept - 1) * width, last, width);
			continue;
		}
		memcpy(set->first + kept * width, first, width);
		memcpy(set->last + kept * width, last, width);
		kept++;
	}
	set->count = kept;
	free(pairs);
}

void keyset_seal(struct keyset *set)
{
	if (set->interval)
		seal_intervals(set);
	else
		seal_keys(set);
}

const uint8_t *keyset_first(const struct keyset *set, size_t index)
{
	return set->first + index * set->width;
}

const uint8_t *keyset_last(const struct keyset *set, size_t index)
{
	return (set->interval ? set->last : set->first) + index * set->width;
}

bool keyset_contains(const struct keyset *set, const uint8_t *key)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(key, keyset_first(set, middle), set->width) < 0)
			high = middle;
		else if (memcmp(key, keyset_last(set, middle), set->width) > 0)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

bool keyset_equal(const struct keyset *one, const struct keyset *other)
{
	size_t bytes = one->count * one->width;

	if (one->width != other->width || one->interval != other->interval ||
	    one->count != other->count)
		return false;
	if (one->count == 0)
		return true;
	return memcmp(one->first, other->first, bytes) == 0 &&
	       (!one->interval || memcmp(one->last, other->last, bytes) == 0);
}

bool key_increment(uint8_t *key, size_t width)
{
	while (width--)
		if (++key[width])
			return true;
	return false;
}

bool key_decrement(uint8_t *key, size_t width)
{
	while (width--)
		if (key[width]--)
			return true;
	return false;
}
