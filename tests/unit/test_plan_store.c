/* test_plan_store.c: a plan comes back from its bytes as it was, or not at all. */
#include "plan_sample.h"

#include "plan/ruleset_compare.h"
#include "suite.h"

#include <check.h>
#include <sha2.h>
#include <stdio.h>
#include <time.h>

enum { MAGIC_SIZE = 8, HEAD_SIZE = MAGIC_SIZE + SHA256_DIGEST_LENGTH };

static struct policy policy;
static struct resolved resolved;
static struct plan plan;
static struct buffer bytes;

static void set_up(void)
{
	sample_plan("n-1", &policy, &resolved, &plan);
	plan_encode(&plan, &bytes);
}

static void tear_down(void)
{
	buffer_free(&bytes);
	plan_free(&plan);
	resolved_free(&resolved);
	policy_free(&policy);
}

START_TEST(comes_back_as_it_was)
{
	struct findings findings = { 0 };
	struct buffer again = { 0 };
	struct plan read;
	struct err err;

	ck_assert_msg(plan_decode(bytes.data, bytes.length, &read, &err), "%s", err.text);
	ruleset_compare(&plan.ruleset, &read.ruleset, &findings);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert(rangeset_equal(&plan.confined, &read.confined));
	plan_encode(&read, &again);
	ck_assert_uint_eq(again.length, bytes.length);
	ck_assert_mem_eq(again.data, bytes.data, bytes.length);
	buffer_free(&again);
	plan_free(&read);
}
END_TEST

START_TEST(torn_or_changed_is_refused)
{
	struct plan read;
	struct err err;

	for (size_t length = 0; length < bytes.length; length++)
		ck_assert(!plan_decode(bytes.data, length, &read, &err));
	for (size_t i = 0; i < bytes.length; i++) {
		bytes.data[i] ^= 1;
		ck_assert(!plan_decode(bytes.data, bytes.length, &read, &err));
		bytes.data[i] ^= 1;
	}
	buffer_append_u8(&bytes, 0);
	ck_assert(!plan_decode(bytes.data, bytes.length, &read, &err));
}
END_TEST

static void sign(void)
{
	size_t length = (size_t)bytes.data[HEAD_SIZE + 2] << 8 | bytes.data[HEAD_SIZE + 3];
	SHA2_CTX context;

	if (length > bytes.length - HEAD_SIZE - 4)
		return;
	SHA256Init(&context);
	SHA256Update(&context, bytes.data + HEAD_SIZE, length + 4);
	SHA256Final(bytes.data + MAGIC_SIZE, &context);
}

/*
 * With a right digest every byte is still judged: no change is taken for the same plan, none breaks
 * the reader.
 */
START_TEST(changed_and_signed_anew)
{
	size_t taken = 0;

	for (size_t i = HEAD_SIZE; i < bytes.length; i++) {
		const uint8_t kept = bytes.data[i];
		struct plan read;
		struct err err;

		bytes.data[i] ^= (uint8_t)(1 << i % 8);
		sign();
		if (plan_decode(bytes.data, bytes.length, &read, &err)) {
			char digest[65];

			/* Hosts lines, probes and users can differ; the rules have a digest. */
			ruleset_digest(&read.ruleset, digest);
			ck_assert_str_eq(digest, plan.ruleset.comment);
			taken++;
			plan_free(&read);
		}
		bytes.data[i] = kept;
	}
	ck_assert_uint_gt(taken, 0);
}
END_TEST

/* Rulesets that are well formed as bytes and can never have been built. */
static void add_rule(struct ruleset *ruleset, const char *chain, const struct statement *statements,
		     size_t count)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (!strcmp(ruleset->chains[i].name, chain))
			chain_add_rule(&ruleset->chains[i], statements, count);
}

static void spoil_circle(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "refuse",
		 &(struct statement){ .kind = GOTO, .name = "confined" }, 1);
}

static void spoil_nowhere(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 &(struct statement){ .kind = GOTO, .name = "nowhere" }, 1);
}

static void spoil_base(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 &(struct statement){ .kind = GOTO, .name = "forward" }, 1);
}

static void spoil_verdict_first(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 (struct statement[]){ { .kind = ACCEPT }, { .kind = COUNT } }, 2);
}

static void spoil_set(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 (struct statement[]){ { .kind = MATCH_USER_IN, .name = "nobody" },
				       { .kind = ACCEPT } },
		 2);
}

static void spoil_set_type(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 (struct statement[]){ { .kind = MATCH_DESTINATION_IN, .name = "confined" },
				       { .kind = ACCEPT } },
		 2);
}

static void spoil_foreign(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined", &(struct statement){ .kind = FOREIGN, .name = "x" },
		 1);
}

static void spoil_negation(struct plan *spoilt)
{
	add_rule(
		&spoilt->ruleset, "confined",
		(struct statement[]){ { .kind = MATCH_OWNED, .negate = true }, { .kind = ACCEPT } },
		2);
}

static void spoil_users(struct plan *spoilt, uint32_t first, uint32_t last)
{
	add_rule(&spoilt->ruleset, "confined",
		 (struct statement[]){ { .kind = MATCH_USER, .users = { first, last } },
				       { .kind = ACCEPT } },
		 2);
}

static void spoil_users_order(struct plan *spoilt)
{
	spoil_users(spoilt, 1501, 1500);
}

static void spoil_users_last(struct plan *spoilt)
{
	spoil_users(spoilt, 1, UINT32_MAX);
}

static void spoil_host_bits(struct plan *spoilt)
{
	add_rule(&spoilt->ruleset, "confined",
		 (struct statement[]){ { .kind = MATCH_DESTINATION,
					 .prefix = { { FAMILY_IPV4, { 10, 0, 0, 1 } }, 8 } },
				       { .kind = ACCEPT } },
		 2);
}

static void spoil_table(struct plan *spoilt)
{
	memcpy(spoilt->ruleset.table, "other", sizeof("other"));
}

static void spoil_order(struct plan *spoilt)
{
	struct keyset *keys = &spoilt->ruleset.sets[0].keys;

	memcpy(keys->first, keys->first + keys->width, keys->width);
}

static void spoil_chain_twice(struct plan *spoilt)
{
	ruleset_add_chain(&spoilt->ruleset, "refuse");
}

static const struct {
	const char *what;
	void (*spoil)(struct plan *spoilt);
} spoilers[] = {
	{ "a circle of chains", spoil_circle },
	{ "a chain that is not there", spoil_nowhere },
	{ "a way into a base chain", spoil_base },
	{ "a verdict that is not last", spoil_verdict_first },
	{ "a set that is not there", spoil_set },
	{ "a set of another type", spoil_set_type },
	{ "a foreign statement", spoil_foreign },
	{ "a negation that no kernel text has", spoil_negation },
	{ "uids from high to low", spoil_users_order },
	{ "a uid that is nobody's", spoil_users_last },
	{ "host bits", spoil_host_bits },
	{ "another table", spoil_table },
	{ "keys out of order", spoil_order },
	{ "a chain twice", spoil_chain_twice },
};

START_TEST(what_was_never_built_is_refused)
{
	struct buffer spoilt = { 0 };
	struct plan read;
	struct err err;

	spoilers[_i].spoil(&plan);
	ruleset_digest(&plan.ruleset, plan.ruleset.comment);
	plan_encode(&plan, &spoilt);
	ck_assert_msg(!plan_decode(spoilt.data, spoilt.length, &read, &err), "%s was taken",
		      spoilers[_i].what);
	ck_assert_str_eq(err.text, spoilers[_i].spoil == spoil_order
					   ? "the stored plan is not valid: sets"
					   : "the stored plan is not valid: ruleset");
	buffer_free(&spoilt);
}
END_TEST

/* Hosts lines and probes that were never built; the text is what has to be refused. */
START_TEST(hosts_and_probes_are_judged_too)
{
	static const char *const names[] = { "a b",     "a\nb", "A.test", "localhost",
					     "a.test.", "",     "zz.test" };
	struct buffer spoilt = { 0 };
	struct plan read;
	struct err err;
	char *kept = plan.hosts.items[0].name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		plan.hosts.items[0].name = (char *)(uintptr_t)names[i];
		spoilt.length = 0;
		plan_encode(&plan, &spoilt);
		ck_assert_msg(!plan_decode(spoilt.data, spoilt.length, &read, &err), "\"%s\"",
			      names[i]);
		ck_assert_str_eq(err.text, "the stored plan is not valid: hosts block");
	}
	plan.hosts.items[0].name = kept;
	plan.probes.items[3].uid = 1501;
	spoilt.length = 0;
	plan_encode(&plan, &spoilt);
	ck_assert(!plan_decode(spoilt.data, spoilt.length, &read, &err));
	ck_assert_str_eq(err.text, "the stored plan is not valid: list of probes");
	plan.confined.items[0].first = 0;
	spoilt.length = 0;
	plan_encode(&plan, &spoilt);
	ck_assert(!plan_decode(spoilt.data, spoilt.length, &read, &err));
	ck_assert_str_eq(err.text, "the stored plan is not valid: list of confined users");
	buffer_free(&spoilt);
}
END_TEST

START_TEST(many_addresses_are_no_trouble)
{
	struct keyset *keys = &ruleset_add_set(&plan.ruleset, "many", SET_IPV4, false)->keys;
	struct timespec start, middle, end;
	struct buffer large = { 0 };
	struct plan read;
	struct err err;

	for (uint32_t i = 0; i < 65536; i++)
		keyset_add(keys, (const uint8_t[]){ 10, (uint8_t)(i >> 8), (uint8_t)i, 1 });
	ruleset_digest(&plan.ruleset, plan.ruleset.comment);
	clock_gettime(CLOCK_MONOTONIC, &start);
	plan_encode(&plan, &large);
	clock_gettime(CLOCK_MONOTONIC, &middle);
	ck_assert_msg(plan_decode(large.data, large.length, &read, &err), "%s", err.text);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("65536 addresses: encoded in %ld us, decoded in %ld us\n",
	       (middle.tv_sec - start.tv_sec) * 1000000 + (middle.tv_nsec - start.tv_nsec) / 1000,
	       (end.tv_sec - middle.tv_sec) * 1000000 + (end.tv_nsec - middle.tv_nsec) / 1000);
	ck_assert(keyset_equal(&ruleset_find_set(&read.ruleset, "many")->keys, keys));
	plan_free(&read);
	buffer_free(&large);
}
END_TEST


int main(void)
{
	TCase *cases = tcase_create("plan_store");

	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, comes_back_as_it_was);
	tcase_add_test(cases, torn_or_changed_is_refused);
	tcase_add_test(cases, changed_and_signed_anew);
	tcase_add_loop_test(cases, what_was_never_built_is_refused, 0, COUNT_OF(spoilers));
	tcase_add_test(cases, hosts_and_probes_are_judged_too);
	tcase_add_test(cases, many_addresses_are_no_trouble);
	return suite_end("plan_store", cases);
}
