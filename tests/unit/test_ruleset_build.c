/* test_ruleset_build.c: rulesets against their golden texts, what merges, limits and scale. */
#include "ruleset_fixture.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_compare.h"
#include "plan/ruleset_print.h"
#include "suite.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_golden(const char *name, struct buffer *ret)
{
	const char *srcdir = getenv("srcdir");
	autofree char *path =
		memory_format("%s/tests/golden/plans/%s.nft", srcdir ? srcdir : ".", name);
	FILE *file = fopen(path, "re");

	ck_assert_msg(file, "%s", path);
	for (;;) {
		size_t length = fread(buffer_reserve(ret, 4096), 1, 4096, file);

		if (!length)
			break;
		ret->length += length;
	}
	fclose(file);
}

/* The whole texts would be too long for a message. */
static void compare_lines(struct buffer *text, struct buffer *golden)
{
	char *one = (char *)(uintptr_t)buffer_string(text),
	     *other = (char *)(uintptr_t)buffer_string(golden);

	while (one && other) {
		char *line = strsep(&one, "\n"), *wanted = strsep(&other, "\n");

		ck_assert_str_eq(line, wanted);
	}
	ck_assert_ptr_eq(one, other);
}

START_TEST(a_ruleset_prints_as_its_golden_text)
{
	struct ruleset ruleset = fixture_named(fixture_names[_i]);
	struct buffer text = { 0 }, golden = { 0 };

	ruleset_print(&ruleset, &text);
	read_golden(fixture_names[_i], &golden);
	compare_lines(&text, &golden);
	buffer_free(&text);
	buffer_free(&golden);
	ruleset_free(&ruleset);
}
END_TEST

/* "pin4_1: 203.0.113.5, 203.0.113.6; ..." of all sets but the confined users. */
static char *describe_sets(const struct ruleset *ruleset)
{
	struct buffer text = { 0 };

	for (size_t i = 1; i < ruleset->set_count; i++) {
		const struct set *set = &ruleset->sets[i];

		buffer_printf(&text, "%s%s:", i > 1 ? "; " : "", set->name);
		for (size_t j = 0; j < set->keys.count; j++) {
			buffer_append_text(&text, " ");
			set_print_element(set, j, &text);
		}
	}
	return buffer_steal(&text);
}

static struct fixture fixture;

static void begin(void)
{
	fixture_init(&fixture, MODE_ALLOWLIST);
}

static void end(void)
{
	fixture_free(&fixture);
}

static void check_sets(const char *expected)
{
	struct ruleset ruleset = fixture_ruleset(&fixture);
	autofree char *sets = describe_sets(&ruleset);

	ck_assert_str_eq(sets, expected);
	ruleset_free(&ruleset);
}

START_TEST(repeated_addresses_merge)
{
	fixture_allow_name(&fixture, "a.example", "443");
	fixture_allow_name(&fixture, "b.example", "443");
	fixture_allow_prefix(&fixture, "203.0.113.5", 32, "443");
	fixture_resolve(&fixture, "a.example", "203.0.113.5 203.0.113.6");
	fixture_resolve(&fixture, "b.example", "203.0.113.6 203.0.113.7");
	check_sets("pin4_1: 203.0.113.5 203.0.113.6 203.0.113.7");
}
END_TEST

START_TEST(an_address_may_have_two_lists_of_ports)
{
	fixture_allow_name(&fixture, "a.example", "443");
	fixture_allow_name(&fixture, "b.example", "8443");
	fixture_allow_name(&fixture, "a.example", "8443");
	fixture_resolve(&fixture, "a.example", "203.0.113.5");
	fixture_resolve(&fixture, "b.example", "203.0.113.6");
	check_sets("pin4_1: 203.0.113.5; pin4_2: 203.0.113.5 203.0.113.6");
}
END_TEST

START_TEST(prefixes_that_overlap_or_touch_merge)
{
	fixture_allow_prefix(&fixture, "198.51.100.128", 25, "443");
	fixture_allow_prefix(&fixture, "198.51.100.0", 25, "443");
	fixture_allow_prefix(&fixture, "198.51.100.16", 28, "443");
	fixture_allow_prefix(&fixture, "192.0.2.0", 31, "443");
	fixture_allow_prefix(&fixture, "2001:db8::", 33, "443");
	check_sets("net4_1: 192.0.2.0/31 198.51.100.0/24; net6_1: 2001:db8::/33");
}
END_TEST

START_TEST(lists_of_ports_count_in_the_order_of_the_policy)
{
	fixture_allow_prefix(&fixture, "192.0.2.4", 32, "9000");
	fixture_allow_prefix(&fixture, "192.0.2.3", 32, "80");
	fixture_allow_prefix(&fixture, "192.0.2.2", 32, "9000");
	fixture_allow_prefix(&fixture, "192.0.2.1", 32, "80-81");
	fixture_add_lane(&fixture, "model.example", "80");
	fixture_resolve(&fixture, "model.example", "192.0.2.9");
	check_sets("pin4_1: 192.0.2.2 192.0.2.4; pin4_2: 192.0.2.3 192.0.2.9; pin4_3: 192.0.2.1");
}
END_TEST

START_TEST(a_name_without_addresses_pins_nothing)
{
	fixture_allow_name(&fixture, "unknown.example", "443");
	fixture_allow_name(&fixture, "silent.example", "443");
	fixture_resolve(&fixture, "silent.example", "");
	check_sets("");
}
END_TEST

START_TEST(without_resolved_names_nothing_is_open)
{
	struct fixture other;
	struct ruleset deny_all, no_network;

	fixture_allow_prefix(&fixture, "198.51.100.0", 24, "443");
	fixture_allow_name(&fixture, "a.example", "443");
	fixture_resolve(&fixture, "a.example", "203.0.113.5");
	fixture.deny_all = true;
	fixture_init(&other, MODE_NO_NETWORK);
	deny_all = fixture_ruleset(&fixture);
	no_network = fixture_ruleset(&other);
	ck_assert_str_eq(deny_all.comment, no_network.comment);
	ruleset_free(&deny_all);
	ruleset_free(&no_network);
	fixture_free(&other);
}
END_TEST

static bool build(struct ruleset *ret, struct err *err)
{
	struct ruleset_request request = {
		.policy = &fixture.policy,
		.resolved = &fixture.resolved,
		.confined = &fixture.confined,
		.table = "egressfw",
		.log = true,
	};

	return ruleset_build(&request, ret, err);
}

START_TEST(more_pinned_addresses_than_the_limit_are_an_error)
{
	struct ruleset ruleset = { .table = "untouched" };
	struct err err;

	/* Three addresses in all: one is in both answers, and the literal does not count. */
	fixture_allow_name(&fixture, "a.example", "443");
	fixture_allow_name(&fixture, "b.example", "80");
	fixture_allow_prefix(&fixture, "192.0.2.1", 32, "443");
	fixture_resolve(&fixture, "a.example", "203.0.113.5 2001:db8::5");
	fixture_resolve(&fixture, "b.example", "203.0.113.5 203.0.113.6");
	fixture.policy.pin_addresses_max = 2;
	ck_assert(!build(&ruleset, &err));
	ck_assert_str_eq(err.text, "the names of the policy have 3 addresses, more than the 2 that "
				   "pin_limits.addresses lets be pinned");
	ck_assert_str_eq(ruleset.table, "untouched");
	fixture.policy.pin_addresses_max = 3;
	ck_assert(build(&ruleset, &err));
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(the_confined_users_can_be_read_back)
{
	struct ruleset ruleset = fixture_ruleset(&fixture), empty = { 0 };
	struct rangeset users = ruleset_confined(&ruleset), none = ruleset_confined(&empty);

	ck_assert(rangeset_equal(&users, &fixture.confined));
	ck_assert_uint_eq(none.count, 0);
	rangeset_free(&users);
	rangeset_free(&none);
	ruleset_free(&ruleset);
}
END_TEST

/* 65,536 addresses, prefixes and lists of ports each, in no order. Check's timeout is the bound. */
START_TEST(large_lists_take_no_time)
{
	enum { MANY = 65536 };
	struct ruleset one, other;
	struct findings findings = { 0 };
	struct destination *items;

	items = memory_allocate(3 * (size_t)MANY, sizeof(*items));
	for (size_t i = 0; i < MANY; i++) {
		uint32_t mixed = (uint32_t)(i * 40503U) & 0xffff;
		struct address address = { FAMILY_IPV4,
					   { 203, (uint8_t)(mixed >> 8), (uint8_t)mixed, 1 } };

		struct prefix single = { address, 32 }, network = prefix_of(&address, 25);
		struct destination *three = &items[3 * i];

		three[0].first_port = three[0].last_port = 443;
		destination_set_prefix(&three[0], &single);
		three[1].first_port = three[1].last_port = 443;
		destination_set_prefix(&three[1], &network);
		three[2].kind = DESTINATION_WILDCARD;
		three[2].first_port = three[2].last_port = (uint16_t)mixed;
	}
	fixture.policy.allowed_hosts = (struct destinations){ items, 3 * (size_t)MANY };
	one = fixture_ruleset(&fixture);
	other = fixture_ruleset(&fixture);
	ruleset_compare(&one, &other, &findings);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_uint_eq(one.set_count, 3);
	ck_assert_uint_eq(one.sets[1].keys.count, MANY);
	ck_assert_uint_eq(one.sets[2].keys.count, MANY);
	ruleset_free(&one);
	ruleset_free(&other);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("sets");
	size_t fixtures = 0;

	while (fixture_names[fixtures])
		fixtures++;
	tcase_add_checked_fixture(tests, begin, end);
	tcase_add_loop_test(tests, a_ruleset_prints_as_its_golden_text, 0, (int)fixtures);
	tcase_add_test(tests, repeated_addresses_merge);
	tcase_add_test(tests, an_address_may_have_two_lists_of_ports);
	tcase_add_test(tests, prefixes_that_overlap_or_touch_merge);
	tcase_add_test(tests, lists_of_ports_count_in_the_order_of_the_policy);
	tcase_add_test(tests, a_name_without_addresses_pins_nothing);
	tcase_add_test(tests, without_resolved_names_nothing_is_open);
	tcase_add_test(tests, more_pinned_addresses_than_the_limit_are_an_error);
	tcase_add_test(tests, the_confined_users_can_be_read_back);
	tcase_add_test(tests, large_lists_take_no_time);
	return suite_end("ruleset_build", tests);
}
