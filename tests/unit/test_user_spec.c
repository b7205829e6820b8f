/* test_user_spec.c: users as text, as --user and the ranges of a policy give them. */
#include "policy/policy.h"

#include "suite.h"

#include <string.h>

START_TEST(users_are_names_uids_and_ranges)
{
	static const struct {
		const char *text, *name;
		struct range range;
	} rows[] = {
		{ "agent", "agent", { 0, 0 } },
		{ "Agent_2.x-y", "Agent_2.x-y", { 0, 0 } },
		{ "_apt", "_apt", { 0, 0 } },
		{ "1a", "1a", { 0, 0 } },
		{ "machine$", "machine$", { 0, 0 } },
		{ "a-1", "a-1", { 0, 0 } },
		{ "1", NULL, { 1, 1 } },
		{ "1500", NULL, { 1500, 1500 } },
		{ "4294967294", NULL, { 4294967294, 4294967294 } },
		{ "100000-165535", NULL, { 100000, 165535 } },
		{ "7-7", NULL, { 7, 7 } },
		{ "1-4294967294", NULL, { 1, 4294967294 } },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct user_spec spec;
		struct err err;

		ck_assert_msg(user_spec_parse(rows[i].text, &spec, &err), "%s: %s", rows[i].text,
			      err.text);
		ck_assert_pstr_eq(spec.name, rows[i].name);
		ck_assert_uint_eq(spec.range.first, rows[i].range.first);
		ck_assert_uint_eq(spec.range.last, rows[i].range.last);
		user_spec_free(&spec);
	}
}
END_TEST

START_TEST(case_A3)
{
	static const char *const rows[][2] = {
		{ "", "is not a user name" },
		{ "0", "includes uid 0" },
		{ "0-1000", "includes uid 0" },
		{ "root", "is uid 0" },
		{ "4294967295", "includes uid 4294967295" },
		{ "1000-4294967295", "includes uid 4294967295" },
		{ "4294967296", "not a range of uids" },
		{ "1-99999999999999999999", "not a range of uids" },
		{ "-1", "not a range of uids" },
		{ "01000", "not a range of uids" },
		{ "1000-01001", "not a range of uids" },
		{ "2000-1000", "did you mean \"1000-2000\"?" },
		{ "1000-", "not a range of uids" },
		{ "1-2-3", "not a range of uids" },
		{ "-", "is not a user name" },
		{ ".", "is not a user name" },
		{ "a b", "is not a user name" },
		{ "a:b", "is not a user name" },
		{ "a$b", "is not a user name" },
		{ "$", "is not a user name" },
		{ "a\n", "is not a user name" },
		{ "\xc3\xbc", "is not a user name" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct user_spec spec;
		struct err err;

		ck_assert_msg(!user_spec_parse(rows[i][0], &spec, &err), "%s is taken", rows[i][0]);
		ck_assert_msg(strstr(err.text, rows[i][1]), "%s: %s", rows[i][0], err.text);
	}
}
END_TEST

START_TEST(a_name_is_not_endless)
{
	char text[300];
	struct user_spec spec;
	struct err err;

	memset(text, 'a', sizeof(text));
	text[256] = '\0';
	ck_assert(!user_spec_parse(text, &spec, &err));
	text[255] = '\0';
	ck_assert(user_spec_parse(text, &spec, &err));
	user_spec_free(&spec);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { users_are_names_uids_and_ranges, case_A3,
				       a_name_is_not_endless };

	return suite_run("user_spec", tests, COUNT_OF(tests));
}
