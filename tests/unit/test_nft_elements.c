/* test_nft_elements.c: elements of sets as bytes and back, and streamed against a wanted set. */
#include "suite.h"

#include "kernel/netlink.h"
#include "kernel/nft_elements.h"
#include "kernel/set_stream.h"

#include <linux/netfilter/nf_tables.h>
#include <string.h>

static const struct batch_object object = { .object = REFUSED_ELEMENTS, .table = "t", .name = "s" };

/* Writes the set and gives each element to `take`. */
static size_t write_and_read(const struct keyset *keys, uint16_t type, size_t limit,
			     struct batch *batch,
			     void (*take)(void *context, const struct element *element),
			     void *context)
{
	const struct element_target target = {
		.type = type,
		.family = TABLE_INET,
		.table = "t",
		.set = "s",
		.keys = keys,
		.object = &object,
	};
	struct cursor bytes;
	struct netlink_message message;
	size_t next = 0, messages = 0;
	bool malformed;

	batch_begin(batch, 1, 0);
	elements_write(batch, &target, limit, &next);
	bytes = cursor_over(batch->bytes.data, batch->bytes.length);
	ck_assert(netlink_next(&bytes, &message, &malformed)); /* the begin message */
	while (netlink_next(&bytes, &message, &malformed)) {
		struct attribute list;
		struct element element;
		bool strange;

		ck_assert_uint_eq(message.type & 0xff, type);
		ck_assert_uint_le(message.length, 65535);
		ck_assert(attribute_find(message.payload, NFTA_SET_ELEM_LIST_ELEMENTS, &list));
		while (element_next(&list.payload, keys->width, &element, &strange))
			take(context, &element);
		ck_assert(!strange);
		messages++;
	}
	ck_assert(!malformed);
	return messages;
}

struct seen {
	size_t count;
	struct {
		uint8_t key[4];
		bool end;
	} items[16];
};

static void remember(void *context, const struct element *element)
{
	struct seen *seen = context;

	ck_assert_uint_lt(seen->count, 16);
	memcpy(seen->items[seen->count].key, element->key, 4);
	seen->items[seen->count++].end = element->end;
}

static void add(struct keyset *keys, uint32_t first, uint32_t last)
{
	const uint8_t one[] = { (uint8_t)(first >> 24), (uint8_t)(first >> 16),
				(uint8_t)(first >> 8), (uint8_t)first };
	const uint8_t other[] = { (uint8_t)(last >> 24), (uint8_t)(last >> 16),
				  (uint8_t)(last >> 8), (uint8_t)last };

	if (keys->interval)
		keyset_add_interval(keys, one, other);
	else
		keyset_add(keys, one);
}

START_TEST(intervals_become_starts_and_ends)
{
	static const struct {
		uint32_t first, last;
	} intervals[] = { { 1500, 1500 }, { 100000, 165535 }, { 0xffffff00, 0xffffffff } };
	static const struct {
		uint8_t key[4];
		bool end;
	} wanted[] = {
		{ { 0, 0, 0, 0 }, true },       { { 0, 0, 5, 0xdc }, false },
		{ { 0, 0, 5, 0xdd }, true },    { { 0, 1, 0x86, 0xa0 }, false },
		{ { 0, 2, 0x86, 0xa0 }, true }, { { 255, 255, 255, 0 }, false },
	};
	struct keyset keys = keyset_new(4, true);
	struct seen seen = { 0 };
	struct batch batch;

	for (size_t i = 0; i < COUNT_OF(intervals); i++)
		add(&keys, intervals[i].first, intervals[i].last);
	keyset_seal(&keys);
	ck_assert_uint_eq(write_and_read(&keys, NFT_MSG_NEWSETELEM, 0, &batch, remember, &seen), 1);
	ck_assert_uint_eq(seen.count, COUNT_OF(wanted));
	for (size_t i = 0; i < seen.count; i++) {
		ck_assert_mem_eq(seen.items[i].key, wanted[i].key, 4);
		ck_assert(seen.items[i].end == wanted[i].end);
	}
	batch_free(&batch);
	/* What is deleted does not take along the element that leads the set. */
	seen.count = 0;
	write_and_read(&keys, NFT_MSG_DELSETELEM, 0, &batch, remember, &seen);
	ck_assert_uint_eq(seen.count, COUNT_OF(wanted) - 1);
	ck_assert(!seen.items[0].end);
	batch_free(&batch);
	keyset_free(&keys);
}
END_TEST

static void count_one(void *context, const struct element *element)
{
	(void)element;
	++*(size_t *)context;
}

START_TEST(many_elements_are_divided_among_messages)
{
	struct keyset keys = keyset_new(16, false);
	struct batch batch;
	size_t count = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		uint8_t key[16] = { 0x20, 1, (uint8_t)(i >> 8), (uint8_t)i };

		keyset_add(&keys, key);
	}
	keyset_seal(&keys);
	ck_assert_uint_gt(write_and_read(&keys, NFT_MSG_NEWSETELEM, 0, &batch, count_one, &count),
			  8);
	ck_assert_uint_eq(count, 20000);
	batch_free(&batch);
	count = 0;
	write_and_read(&keys, NFT_MSG_NEWSETELEM, 5000, &batch, count_one, &count);
	ck_assert_uint_le(batch.bytes.length, 5000);
	ck_assert_uint_gt(count, 100);
	ck_assert_uint_lt(count, 20000);
	batch_free(&batch);
	keyset_free(&keys);
}
END_TEST

static const uint64_t seed[2] = { 0x0123456789abcdef, 0xfedcba9876543210 };

static void stream(void *context, const struct element *element)
{
	set_stream_take(context, element);
}

static bool streams_equal(const struct keyset *wanted, const struct keyset *found)
{
	struct set_stream *comparing = set_stream_new(wanted, seed);
	struct batch batch;
	bool equal;

	write_and_read(found, NFT_MSG_NEWSETELEM, 0, &batch, stream, comparing);
	equal = set_stream_is_equal(comparing);
	set_stream_free(comparing);
	batch_free(&batch);
	return equal;
}

START_TEST(a_stream_is_equal_to_itself_alone)
{
	for (int interval = 0; interval < 2; interval++) {
		struct keyset sets[9];

		for (size_t i = 0; i < COUNT_OF(sets); i++) {
			sets[i] = keyset_new(4, interval);
			/*
			 * Each set lacks or changes something else; the first is whole, the last
			 * empty.
			 */
			for (uint32_t j = 1; i < 8 && j < 7; j++)
				if (j != i)
					add(&sets[i], j * 100, j * 100 + (interval ? 10 : 0));
			if (i == 7)
				add(&sets[i], 0xfffffff0, 0xffffffff);
			keyset_seal(&sets[i]);
		}
		for (size_t i = 0; i < COUNT_OF(sets); i++)
			for (size_t j = 0; j < COUNT_OF(sets); j++)
				ck_assert_msg(streams_equal(&sets[i], &sets[j]) == (i == j),
					      "%zu %zu", i, j);
		for (size_t i = 0; i < COUNT_OF(sets); i++)
			keyset_free(&sets[i]);
	}
}
END_TEST

START_TEST(an_element_that_comes_twice_does_not_stand_for_another)
{
	const uint8_t one[] = { 0, 0, 0, 1 }, two[] = { 0, 0, 0, 2 };
	const struct {
		struct element elements[3];
		size_t count;
		bool equal;
	} rows[] = {
		{ { { one, false } }, 1, false },
		{ { { one, false }, { one, false } }, 2, false },
		{ { { one, false }, { two, false } }, 2, true },
		{ { { two, false }, { one, false } }, 2, true },
		{ { { one, false }, { two, true } }, 2, false },
		{ { { one, false }, { two, false }, { two, false } }, 3, false },
		{ { { one, false }, { two, false }, { two, true } }, 3, false },
	};
	struct keyset wanted = keyset_new(4, false);

	keyset_add(&wanted, one);
	keyset_add(&wanted, two);
	keyset_seal(&wanted);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct set_stream *comparing = set_stream_new(&wanted, seed);

		for (size_t j = 0; j < rows[i].count; j++)
			set_stream_take(comparing, &rows[i].elements[j]);
		ck_assert_msg(set_stream_is_equal(comparing) == rows[i].equal, "row %zu", i);
		set_stream_free(comparing);
	}
	keyset_free(&wanted);
}
END_TEST

START_TEST(every_bit_of_a_key_counts_in_a_stream)
{
	static const size_t widths[] = { 2, 4, 16 };

	for (size_t i = 0; i < COUNT_OF(widths); i++) {
		uint8_t key[KEY_WIDTH_MAX] = { 0x20, 1, 0xd, 0xb8, [15] = 7 };
		struct keyset wanted = keyset_new(widths[i], false);

		keyset_add(&wanted, key);
		keyset_seal(&wanted);
		for (size_t bit = 0; bit < widths[i] * 8; bit++) {
			struct set_stream *comparing = set_stream_new(&wanted, seed);

			key[bit / 8] ^= (uint8_t)(1 << bit % 8);
			set_stream_take(comparing, &(struct element){ key, false });
			ck_assert_msg(!set_stream_is_equal(comparing), "bit %zu", bit);
			key[bit / 8] ^= (uint8_t)(1 << bit % 8);
			set_stream_free(comparing);
		}
		keyset_free(&wanted);
	}
}
END_TEST

START_TEST(starts_and_ends_that_do_not_alternate_are_no_intervals)
{
	static const struct {
		uint32_t starts[3], ends[3]; /* 0: none */
		bool joins;
	} cases[] = {
		{ { 1, 10 }, { 5, 20 }, true },
		{ { 1, 5 }, { 5, 20 }, true },
		{ { 1, 10 }, { 5 }, true },
		{ { 1, 10 }, { 20 }, false },
		{ { 1, 10 }, { 5, 6, 20 }, false },
		{ { 10 }, { 5 }, false },
		{ { 0 }, { 5 }, false },
		{ { 0 }, { 0 }, true },
		{ { 1, 10, 20 }, { 5, 15 }, true },
		{ { 1, 10, 20 }, { 15, 25 }, false },
		{ { 5 }, { 5 }, false },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct interval_ends collected = { keyset_new(4, false), keyset_new(4, false) };
		struct keyset joined = keyset_new(4, true);

		for (size_t j = 0; j < 3; j++) {
			if (cases[i].starts[j])
				add(&collected.starts, cases[i].starts[j], 0);
			if (cases[i].ends[j])
				add(&collected.ends, cases[i].ends[j], 0);
		}
		ck_assert_msg(interval_join(&collected, &joined) == cases[i].joins, "case %zu", i);
		keyset_free(&joined);
		keyset_free(&collected.starts);
		keyset_free(&collected.ends);
	}
}
END_TEST

/* An element with anything besides its key may be gone in a moment, or match otherwise. */
START_TEST(an_element_of_another_kind_is_strange)
{
	static const uint16_t others[] = {
		NFTA_SET_ELEM_DATA,        NFTA_SET_ELEM_TIMEOUT, NFTA_SET_ELEM_EXPIRATION,
		NFTA_SET_ELEM_EXPR,        NFTA_SET_ELEM_OBJREF,  NFTA_SET_ELEM_KEY_END,
		NFTA_SET_ELEM_EXPRESSIONS, NFTA_SET_ELEM_MAX + 1,
	};

	for (size_t i = 0; i <= COUNT_OF(others); i++) {
		struct buffer bytes = { 0 };
		struct element element;
		struct cursor list;
		bool strange, whole = i == COUNT_OF(others);
		size_t outer = netlink_nest_begin(&bytes, NFTA_LIST_ELEM), inner;

		inner = netlink_nest_begin(&bytes, NFTA_SET_ELEM_KEY);
		netlink_put(&bytes, NFTA_DATA_VALUE, "abcd", 4);
		netlink_nest_end(&bytes, inner);
		if (!whole)
			netlink_put(&bytes, others[i], "\0\0\0\0\0\0\0\0", 8);
		netlink_nest_end(&bytes, outer);
		list = cursor_over(bytes.data, bytes.length);
		ck_assert(element_next(&list, 4, &element, &strange) == whole);
		ck_assert(strange != whole);
		list = cursor_over(bytes.data, bytes.length);
		ck_assert(!element_next(&list, 2, &element, &strange)); /* of another width */
		ck_assert(strange);
		buffer_free(&bytes);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		intervals_become_starts_and_ends,
		many_elements_are_divided_among_messages,
		a_stream_is_equal_to_itself_alone,
		an_element_that_comes_twice_does_not_stand_for_another,
		every_bit_of_a_key_counts_in_a_stream,
		starts_and_ends_that_do_not_alternate_are_no_intervals,
		an_element_of_another_kind_is_strange,
	};

	return suite_run("nft_elements", tests, COUNT_OF(tests));
}
