/*
 * test_nft_round_trip.c: every ruleset of the fixtures, written as a batch and read as a dump, is
 * the same.
 */
#include "ruleset_fixture.h"
#include "suite.h"

#include "kernel/nft_replace.h"
#include "kernel/nft_table_reader.h"
#include "plan/ruleset_compare.h"

#include <linux/netfilter/nf_tables.h>
#include <string.h>

/* A batch has anonymous sets between the rules; a dump has all sets before them. */
static void read_messages(struct table_reader *reader, const struct batch *batch, bool rules)
{
	struct cursor bytes = cursor_over(batch->bytes.data, batch->bytes.length);
	struct netlink_message message;
	bool malformed;

	while (netlink_next(&bytes, &message, &malformed))
		if (((message.type & 0xff) == NFT_MSG_NEWRULE) == rules)
			ck_assert(table_reader_take(reader, &message));
	ck_assert(!malformed);
}

static struct ruleset read_batch(const struct batch *batch, const struct ruleset *like)
{
	struct table_reader reader = table_reader(like->family, like->table);
	struct ruleset found;

	read_messages(&reader, batch, false);
	read_messages(&reader, batch, true);
	ck_assert(reader.present);
	table_reader_finish(&reader, &found);
	table_reader_free(&reader);
	return found;
}

static void assert_same(const struct ruleset *wanted, const struct ruleset *found)
{
	struct findings findings = { 0 };
	char one[65], other[65];

	ruleset_compare(wanted, found, &findings);
	for (size_t i = 0; i < findings.count; i++)
		ck_abort_msg("%s: %s: %s", finding_name(findings.items[i].kind),
			     findings.items[i].object, findings.items[i].detail);
	findings_free(&findings);
	ck_assert_uint_eq(wanted->set_count, found->set_count);
	ck_assert_uint_eq(wanted->chain_count, found->chain_count);
	ruleset_digest(wanted, one);
	ruleset_digest(found, other);
	ck_assert_str_eq(one, other);
}

static void round_trip(const struct ruleset *wanted)
{
	struct batch batch;
	struct ruleset found;
	struct err err;

	batch_begin(&batch, 1, 7);
	ck_assert_msg(encode_replacement(&batch, wanted, &(struct standing){ 0 }, NULL, &err), "%s",
		      err.text);
	batch_end(&batch);
	found = read_batch(&batch, wanted);
	assert_same(wanted, &found);
	ruleset_free(&found);
	batch_free(&batch);
}

START_TEST(a_ruleset_is_read_as_it_was_written)
{
	for (size_t i = 0; fixture_names[i]; i++) {
		struct ruleset wanted = fixture_named(fixture_names[i]);

		round_trip(&wanted);
		ruleset_free(&wanted);
	}
}
END_TEST

static void add_keys(struct set *set, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t key[16] = { 10, (uint8_t)(i >> 15), (uint8_t)(i >> 7), (uint8_t)(i << 1) },
			last[16];

		memcpy(last, key, sizeof(last));
		if (set->type == SET_IPV6)
			memset(last + 4, 0xff, 12);
		if (set->keys.interval)
			keyset_add_interval(&set->keys, key, last);
		else
			keyset_add(&set->keys, key);
	}
	keyset_seal(&set->keys);
}

START_TEST(sets_of_every_size_are_read_as_they_were_written)
{
	static const size_t sizes[] = { 0, 1, 2, 256, 5000, 65536 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct ruleset wanted = { .family = TABLE_INET, .table = "egressfw" };

		add_keys(ruleset_add_set(&wanted, "pin4_1", SET_IPV4, false), sizes[i]);
		add_keys(ruleset_add_set(&wanted, "pin6_1", SET_IPV6, false), sizes[i]);
		add_keys(ruleset_add_set(&wanted, "net4_1", SET_IPV4, true), sizes[i]);
		add_keys(ruleset_add_set(&wanted, "net6_1", SET_IPV6, true), sizes[i]);
		for (size_t j = 0; j < wanted.set_count; j++)
			ck_assert_uint_eq(wanted.sets[j].keys.count, sizes[i]);
		round_trip(&wanted);
		ruleset_free(&wanted);
	}
}
END_TEST

START_TEST(a_set_from_the_lowest_to_the_highest_key_is_read_as_it_was_written)
{
	struct ruleset wanted = { .family = TABLE_INET, .table = "egressfw" };
	struct set *set = ruleset_add_set(&wanted, "net4_1", SET_IPV4, true);

	keyset_add_interval(&set->keys, (const uint8_t[]){ 0, 0, 0, 0 },
			    (const uint8_t[]){ 0, 0, 0, 9 });
	keyset_add_interval(&set->keys, (const uint8_t[]){ 9, 0, 0, 0 },
			    (const uint8_t[]){ 9, 0, 0, 0 });
	keyset_add_interval(&set->keys, (const uint8_t[]){ 255, 0, 0, 0 },
			    (const uint8_t[]){ 255, 255, 255, 255 });
	keyset_seal(&set->keys);
	round_trip(&wanted);
	ruleset_free(&wanted);
}
END_TEST

START_TEST(what_is_of_no_kind_of_ours_differs)
{
	struct ruleset wanted = fixture_named("allowlist"), found;
	struct findings findings = { 0 };
	struct batch batch;
	struct err err;
	uint8_t *bytes;

	batch_begin(&batch, 1, 0);
	ck_assert(encode_replacement(&batch, &wanted, &(struct standing){ 0 }, NULL, &err));
	batch_end(&batch);
	/* An expression that nobody knows: "counter" becomes "cxunter". */
	bytes = memmem(batch.bytes.data, batch.bytes.length, "counter", 7);
	ck_assert_ptr_nonnull(bytes);
	bytes[1] = 'x';
	found = read_batch(&batch, &wanted);
	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_int_eq(findings.items[0].kind, FINDING_RULE_CHANGED);
	findings_free(&findings);
	ruleset_free(&found);
	ruleset_free(&wanted);
	batch_free(&batch);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		a_ruleset_is_read_as_it_was_written,
		sets_of_every_size_are_read_as_they_were_written,
		a_set_from_the_lowest_to_the_highest_key_is_read_as_it_was_written,
		what_is_of_no_kind_of_ours_differs,
	};

	return suite_run("nft_round_trip", tests, COUNT_OF(tests));
}
