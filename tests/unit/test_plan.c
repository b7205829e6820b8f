/* test_plan.c: plans are built whole or refused with one sentence. */
#include "plan_sample.h"

#include <check.h>

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(*(array))))

START_TEST(a_plan_is_whole)
{
	struct resolved resolved;
	struct policy policy;
	struct plan plan;

	sample_plan("n-1", &policy, &resolved, &plan);
	ck_assert_str_eq(plan.instance, "n-1");
	ck_assert_str_eq(plan.ruleset.table, "egressfw-n-1");
	ck_assert_uint_eq(plan.confined.count, 2);
	ck_assert_uint_eq(plan.hosts.count, 3);
	ck_assert_str_eq(plan.hosts.items[0].name, "api.test");
	ck_assert_str_eq(plan.hosts.items[2].name, "b.test");
	ck_assert_uint_eq(plan.probes.count, 16);
	plan_free(&plan);
	resolved_free(&resolved);
	policy_free(&policy);
}
END_TEST

START_TEST(instances_have_names)
{
	static const char *const bad[] = {
		"", "-a", "a b", "a/b", "a.b", "\xc3\xa4", "123456789012345678901234567890123"
	};
	char table[RULESET_NAME_SIZE];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(!plan_instance_is_valid(bad[i]), "\"%s\"", bad[i]);
	ck_assert(plan_instance_is_valid("a"));
	ck_assert(plan_instance_is_valid("9-b-C"));
	ck_assert(plan_instance_is_valid("12345678901234567890123456789012"));
	plan_table_name("", table);
	ck_assert_str_eq(table, "egressfw");
	plan_table_name("n", table);
	ck_assert_str_eq(table, "egressfw-n");
}
END_TEST

static const struct {
	const char *policy, *sentence; /* NULL: it can be enforced */
} enforceable[] = {
	{ "{\"network_mode\":\"no-network\",\"users\":[1]}", NULL },
	{ "{\"network_mode\":\"public\"}", NULL },
	{ "{\"network_mode\":\"allowlist\",\"users\":[1],\"allowed_hosts\":[\"a.test\"]}", NULL },
	{ "{\"network_mode\":\"blocklist\",\"users\":[1],\"blocked_urls\":[\"a.test\"]}",
	  "mode \"blocklist\" needs the filter, which this version does not have" },
	{ "{\"network_mode\":\"allowlist\",\"users\":[1],\"enforcement\":\"filter\",\"allowed_"
	  "hosts\":[\"a.test\"]}",
	  "enforcement \"filter\" needs the filter, which this version does not have" },
	{ "{\"network_mode\":\"allowlist\",\"users\":[1],\"allowed_hosts\":[\"a.test\",\"*.b."
	  "test\"]}",
	  "allowed_hosts[1]: the wildcard \"*.b.test\" needs the filter, which this version does "
	  "not have" },
	{ "{\"network_mode\":\"no-network\",\"exempt_users\":[1]}", NULL },
	{ "{\"network_mode\":\"no-network\",\"users\":[1],\"published_ports\":[80]}", NULL },
};

START_TEST(what_this_version_can_enforce)
{
	struct policy tried;
	struct err err = { "" };
	const char *text = enforceable[_i].policy;

	ck_assert_msg(policy_parse(text, strlen(text), &tried, &err), "%s", err.text);
	ck_assert_int_eq(plan_can_enforce(&tried, &err), enforceable[_i].sentence == NULL);
	if (enforceable[_i].sentence)
		ck_assert_ptr_eq(strstr(err.text, enforceable[_i].sentence), err.text);
	policy_free(&tried);
}
END_TEST

START_TEST(an_allowed_canary_is_an_error)
{
	static struct range user[] = { { 1500, 1500 } };
	static const char text[] = "{\"network_mode\":\"allowlist\",\"users\":[1500],\"allowed_"
				   "hosts\":[\"198.51.100.0/24\"],"
				   "\"canary\":[\"203.0.113.1:443\",\"198.51.100.7:443\"]}";
	const struct rangeset users = { user, 1 };
	const struct resolved none = { 0 };
	struct policy tried;
	struct plan unbuilt;
	struct err err;

	ck_assert_msg(policy_parse(text, strlen(text), &tried, &err), "%s", err.text);
	ck_assert(!plan_build(
		&(struct plan_request){
			.policy = &tried, .resolved = &none, .confined = &users,
			.probed = &users, .instance = "" },
		&unbuilt, &err));
	ck_assert_str_eq(
		err.text,
		"canary[1]: 198.51.100.7 port 443 is allowed by this policy, so it cannot show "
		"that anything is blocked");
	policy_free(&tried);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *cases = tcase_create("plan");
	SRunner *runner;
	int failed;

	tcase_add_test(cases, a_plan_is_whole);
	tcase_add_test(cases, instances_have_names);
	tcase_add_loop_test(cases, what_this_version_can_enforce, 0, COUNT_OF(enforceable));
	tcase_add_test(cases, an_allowed_canary_is_an_error);
	suite_add_tcase(suite, cases);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
