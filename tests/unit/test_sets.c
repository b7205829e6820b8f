/* test_sets.c: sets of numbers and keys, held against a plain table of bits. */
#include "base/keyset.h"
#include "base/rangeset.h"

#include "suite.h"

#include <string.h>

enum { VALUES = 64, ROUNDS = 2000 };

/* A small generator of its own: the same numbers in every run. */
static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525U + 1013904223U;
	return (*state >> 8) % below;
}

static void check_ranges(const struct rangeset *set, const bool *bits, uint32_t base)
{
	for (uint32_t value = 0; value < VALUES; value++)
		ck_assert_msg(rangeset_contains(set, base + value) == bits[value], "%u", value);
	for (size_t i = 0; i < set->count; i++) {
		ck_assert_uint_le(set->items[i].first, set->items[i].last);
		if (i)
			ck_assert_uint_gt(set->items[i].first,
					  (uint64_t)set->items[i - 1].last + 1);
	}
}

/* At both ends of the numbers, where an addition could wrap. */
static void exercise_ranges(uint32_t base)
{
	struct rangeset set = { 0 };
	bool bits[VALUES] = { false };
	uint32_t state = base + 1;

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t first = draw(&state, VALUES), last = first + draw(&state, VALUES - first);
		bool add = draw(&state, 2);

		if (add)
			rangeset_add(&set, base + first, base + last);
		else
			rangeset_remove(&set, base + first, base + last);
		for (uint32_t value = first; value <= last; value++)
			bits[value] = add;
		check_ranges(&set, bits, base);
	}
	rangeset_free(&set);
}

START_TEST(ranges_are_what_was_added_and_not_removed)
{
	exercise_ranges(0);
	exercise_ranges(1000);
	exercise_ranges(UINT32_MAX - VALUES + 1);
}
END_TEST

START_TEST(ranges_as_sets)
{
	struct rangeset one = { 0 }, other = { 0 }, copy;
	struct buffer out = { 0 };

	ck_assert(rangeset_covers(&one, &other));
	ck_assert(rangeset_equal(&one, &other));
	rangeset_add(&one, 80, 80);
	rangeset_add(&one, 443, 443);
	rangeset_add(&one, 8000, 8010);
	rangeset_print(&one, &out);
	ck_assert_str_eq(buffer_string(&out), "80, 443, 8000-8010");
	ck_assert(rangeset_covers(&one, &other));
	rangeset_add(&other, 8005, 8010);
	ck_assert(rangeset_covers(&one, &other));
	ck_assert(!rangeset_covers(&other, &one));
	rangeset_add(&other, 8011, 8011);
	ck_assert(!rangeset_covers(&one, &other));
	copy = rangeset_copy(&one);
	ck_assert(rangeset_equal(&one, &copy));
	rangeset_remove_all(&copy, &other);
	ck_assert(!rangeset_equal(&one, &copy));
	ck_assert(!rangeset_contains(&copy, 8005));
	ck_assert(rangeset_contains(&copy, 8004));
	rangeset_add_all(&copy, &one);
	ck_assert(rangeset_equal(&one, &copy));
	rangeset_add(&copy, 0, UINT32_MAX);
	ck_assert_uint_eq(copy.count, 1);
	rangeset_remove(&copy, 0, UINT32_MAX);
	ck_assert_uint_eq(copy.count, 0);
	rangeset_free(&one);
	rangeset_free(&other);
	rangeset_free(&copy);
	buffer_free(&out);
}
END_TEST

static void key_of(uint32_t value, size_t width, uint8_t *key)
{
	memset(key, 0, width);
	for (size_t i = 0; i < width && i < 4; i++)
		key[width - 1 - i] = (uint8_t)(value >> (8 * i));
}

static void check_keys(const struct keyset *set, const bool *bits)
{
	uint8_t key[KEY_WIDTH_MAX];

	for (uint32_t value = 0; value < VALUES; value++) {
		key_of(value, set->width, key);
		ck_assert_int_eq(keyset_contains(set, key), bits[value]);
	}
	for (size_t i = 1; i < set->count; i++) {
		memcpy(key, keyset_last(set, i - 1), set->width);
		/* Intervals that touch would have been one. */
		if (set->interval)
			ck_assert(key_increment(key, set->width));
		ck_assert_int_lt(memcmp(key, keyset_first(set, i), set->width), 0);
	}
}

START_TEST(keys_are_sorted_and_merged)
{
	static const size_t widths[] = { 1, 2, 4, 16 };
	uint32_t state = 7;

	for (int round = 0; round < 500; round++) {
		bool interval = round % 2, bits[VALUES] = { false };
		struct keyset set = keyset_new(widths[round / 2 % 4], interval), copy;
		uint32_t additions = draw(&state, 20);

		while (additions--) {
			uint32_t first = draw(&state, VALUES);
			uint32_t last = interval ? first + draw(&state, VALUES - first) : first;
			uint8_t first_key[KEY_WIDTH_MAX], last_key[KEY_WIDTH_MAX];

			key_of(first, set.width, first_key);
			key_of(last, set.width, last_key);
			if (first == last)
				keyset_add(&set, first_key);
			else
				keyset_add_interval(&set, first_key, last_key);
			for (uint32_t value = first; value <= last; value++)
				bits[value] = true;
		}
		keyset_seal(&set);
		check_keys(&set, bits);
		copy = keyset_copy(&set);
		ck_assert(keyset_equal(&set, &copy));
		keyset_add(&copy, (const uint8_t[KEY_WIDTH_MAX]){ 0xff });
		keyset_seal(&copy);
		ck_assert(!keyset_equal(&set, &copy));
		keyset_free(&set);
		keyset_free(&copy);
	}
}
END_TEST

START_TEST(the_last_key_does_not_wrap)
{
	static const uint8_t low[] = { 0, 0 }, high[] = { 0xff, 0xff }, middle[] = { 0x7f, 0xff };
	struct keyset set = keyset_new(2, true);

	keyset_add_interval(&set, middle, high);
	keyset_add(&set, high);
	keyset_add(&set, low);
	keyset_seal(&set);
	ck_assert_uint_eq(set.count, 2);
	ck_assert_mem_eq(keyset_last(&set, 1), high, 2);
	keyset_free(&set);
}
END_TEST

START_TEST(kinds_of_sets_differ)
{
	struct keyset keys = keyset_new(4, false), wide = keyset_new(16, false),
		      intervals = keyset_new(4, true), same = keyset_new(4, false);

	ck_assert(keyset_equal(&keys, &same));
	ck_assert(!keyset_equal(&keys, &wide));
	ck_assert(!keyset_equal(&keys, &intervals));
	ck_assert(!keyset_contains(&keys, (const uint8_t[]){ 0, 0, 0, 0 }));
}
END_TEST

START_TEST(keys_count_up_and_down)
{
	uint8_t key[] = { 0, 0xff, 0xff };

	ck_assert(key_increment(key, 3));
	ck_assert_mem_eq(key, ((uint8_t[]){ 1, 0, 0 }), 3);
	ck_assert(key_decrement(key, 3));
	ck_assert_mem_eq(key, ((uint8_t[]){ 0, 0xff, 0xff }), 3);
	memset(key, 0xff, 3);
	ck_assert(!key_increment(key, 3));
	ck_assert_mem_eq(key, ((uint8_t[]){ 0, 0, 0 }), 3);
	ck_assert(!key_decrement(key, 3));
	ck_assert_mem_eq(key, ((uint8_t[]){ 0xff, 0xff, 0xff }), 3);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		ranges_are_what_was_added_and_not_removed,
		ranges_as_sets,
		keys_are_sorted_and_merged,
		the_last_key_does_not_wrap,
		kinds_of_sets_differ,
		keys_count_up_and_down,
	};

	return suite_run("sets", tests, COUNT_OF(tests));
}
