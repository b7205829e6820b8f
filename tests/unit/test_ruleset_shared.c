/* test_ruleset_shared.c: whom two rulesets confine, and whom a filter of one leads past. */
#include "ruleset_fixture.h"
#include "suite.h"

#include "plan/ruleset_build.h"
#include "plan/ruleset_shared.h"

static const struct {
	const char *other, *filtered; /* names of fixtures */
	bool reached;
} rows[] = {
	{ "no-network", "filter", true },     { "allowlist", "filter", true },
	{ "loopback-none", "filter", false }, { "loopback-ports", "filter", false },
	{ "closing", "filter", true },        { "strict", "filter", true },
	{ "filter", "filter", true },         { "filter", "no-network", false },
	{ "allowlist", "no-network", false }, { "loopback-none", "filter-pass", false },
};

START_TEST(who_is_led_past)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct ruleset other = fixture_named(rows[i].other);
		struct ruleset filtered = fixture_named(rows[i].filtered);
		struct rangeset shared = ruleset_shared_users(&other, &filtered);
		struct reached_filter reached = { .place = { .port = 0 } };

		ck_assert(rangeset_contains(&shared, 1500));
		ck_assert_msg(ruleset_reaches_filter(&other, &shared, &filtered, &reached) ==
				      rows[i].reached,
			      "%s beside %s", rows[i].filtered, rows[i].other);
		ck_assert_uint_eq(reached.place.port, rows[i].reached ? 3128 : 0);
		rangeset_free(&shared);
		ruleset_free(&filtered);
		ruleset_free(&other);
	}
}
END_TEST

/* What is not as it was committed is trusted in nothing. */
START_TEST(what_was_altered_refuses_nobody)
{
	struct ruleset other = fixture_named("loopback-none"), filtered = fixture_named("filter");
	struct rangeset shared = ruleset_shared_users(&other, &filtered);
	struct reached_filter reached;

	other.comment[0] ^= 1;
	ck_assert(ruleset_reaches_filter(&other, &shared, &filtered, &reached));
	ck_assert_uint_eq(reached.place.port, 3128);
	other.comment[0] ^= 1;
	filtered.comment[0] ^= 1;
	ck_assert(ruleset_reaches_filter(&other, &shared, &filtered, &reached));
	ck_assert_uint_eq(reached.place.port, 0);
	rangeset_free(&shared);
	ruleset_free(&filtered);
	ruleset_free(&other);
}
END_TEST

/* The table of one family lets pass what it never sees: the other one's word counts. */
START_TEST(each_family_has_its_own_word)
{
	struct ruleset whole = fixture_named("loopback-none"), filtered = fixture_named("filter"), half;
	struct rangeset shared = ruleset_shared_users(&whole, &filtered);
	struct reached_filter reached;

	for (enum table_family family = TABLE_IP; family <= TABLE_IP6; family++) {
		ruleset_narrow(&whole, family, &half);
		ck_assert(!ruleset_reaches_filter(&half, &shared, &filtered, &reached));
		ruleset_free(&half);
	}
	rangeset_free(&shared);
	ruleset_free(&filtered);
	ruleset_free(&whole);
}
END_TEST

START_TEST(nobody_is_shared)
{
	struct ruleset one = fixture_named("filter"), nothing = { 0 };
	struct rangeset shared = ruleset_shared_users(&one, &nothing);
	struct reached_filter reached;

	ck_assert_uint_eq(shared.count, 0);
	ck_assert(!ruleset_reaches_filter(&nothing, &shared, &one, &reached));
	ruleset_free(&one);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		who_is_led_past,
		what_was_altered_refuses_nobody,
		each_family_has_its_own_word,
		nobody_is_shared,
	};

	return suite_run("ruleset_shared", tests, COUNT_OF(tests));
}
