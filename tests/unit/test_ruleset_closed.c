/* test_ruleset_closed.c: which rulesets leave their users nothing but loopback. */
#include "ruleset_fixture.h"
#include "suite.h"

#include "plan/ruleset_build.h"

#include <string.h>

static const char *const closed[] = { "no-network",    "lanes-closed",    "loopback-ports",
				      "loopback-none", "strict",          "ownerless-pass-closed",
				      "instance",      "lane-on-loopback" };

static bool is_listed(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(closed); i++)
		if (!strcmp(closed[i], name))
			return true;
	return false;
}

START_TEST(what_opens_something_is_not_closed)
{
	for (size_t i = 0; fixture_names[i]; i++) {
		struct ruleset ruleset = fixture_named(fixture_names[i]);

		ck_assert_msg(ruleset_is_closed(&ruleset) == is_listed(fixture_names[i]), "%s",
			      fixture_names[i]);
		ruleset_free(&ruleset);
	}
}
END_TEST

/* What is open over IPv6 alone leaves nothing of it in the table of IPv4. */
START_TEST(half_of_a_table_does_not_tell)
{
	struct ruleset whole = fixture_named("no-network"), half;

	ck_assert(ruleset_is_closed(&whole));
	ruleset_narrow(&whole, TABLE_IP, &half);
	ck_assert(!ruleset_is_closed(&half));
	ruleset_free(&half);
	ruleset_free(&whole);
}
END_TEST

START_TEST(nothing_is_not_closed)
{
	struct ruleset nothing = { 0 };

	ck_assert(!ruleset_is_closed(&nothing));
}
END_TEST

START_TEST(those_closed_besides)
{
	struct ruleset ruleset = fixture_named("closing"), none = fixture_named("allowlist");
	struct rangeset users = ruleset_closing(&ruleset), nobody = ruleset_closing(&none);

	ck_assert_uint_gt(users.count, 0);
	ck_assert(!rangeset_contains(&users, 1500));
	ck_assert_uint_eq(nobody.count, 0);
	rangeset_free(&users);
	rangeset_free(&nobody);
	ruleset_free(&ruleset);
	ruleset_free(&none);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		what_opens_something_is_not_closed,
		half_of_a_table_does_not_tell,
		nothing_is_not_closed,
		those_closed_besides,
	};

	return suite_run("ruleset_closed", tests, COUNT_OF(tests));
}
