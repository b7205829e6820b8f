/* keyset.h: a sorted set of fixed-width keys, or of intervals of keys, in network byte order. */
#ifndef EGRESSFW_BASE_KEYSET_H
#define EGRESSFW_BASE_KEYSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a set of the kernel holds: uids and ports as big-endian numbers, addresses
 * as they stand on the wire, so that memcmp() is the order everywhere. Keys may be
 * added in any order; keyset_seal() sorts them, drops repeated ones and, in an
 * interval set, merges what overlaps or touches. All other functions want a sealed set.
 */
enum { KEY_WIDTH_MAX = 16 };

struct keyset {
	size_t width;  /* bytes of one key: 1, 2, 4 or 16 */
	bool interval; /* whether elements are first..last */
	size_t count;  /* elements */
	size_t capacity;
	uint8_t *first; /* count * width bytes */
	uint8_t *last;  /* the same, in interval sets only, else NULL */
};

/* An empty, sealed set. */
struct keyset keyset_new(size_t width, bool interval);
void keyset_free(struct keyset *set);
struct keyset keyset_copy(const struct keyset *set);

/* Copies width bytes. keyset_add() in an interval set adds the interval of this one key. */
void keyset_add(struct keyset *set, const uint8_t *key);
/* Interval sets only; first <= last. */
void keyset_add_interval(struct keyset *set, const uint8_t *first, const uint8_t *last);
void keyset_seal(struct keyset *set);

const uint8_t *keyset_first(const struct keyset *set, size_t index);
/* In a set without intervals the same as keyset_first(). */
const uint8_t *keyset_last(const struct keyset *set, size_t index);

bool keyset_contains(const struct keyset *set, const uint8_t *key);
/* Same width, same kind, same elements. */
bool keyset_equal(const struct keyset *one, const struct keyset *other);

/* Adds one to the key, in place; false if it was the last key there is (and is now all zero). */
bool key_increment(uint8_t *key, size_t width);
/* Takes one from the key, in place; false if it was zero (and is now all ones). */
bool key_decrement(uint8_t *key, size_t width);

#endif
