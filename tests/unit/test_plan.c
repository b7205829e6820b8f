/* test_plan.c: plans are built whole or refused with one sentence. */
#include "plan_sample.h"
#include "suite.h"

#include <check.h>


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
	{ "{\"network_mode\":\"blocklist\",\"users\":[1],\"blocked_urls\":[\"a.test\"]}", NULL },
	{ "{\"network_mode\":\"blocklist\",\"users\":[1],\"blocked_urls\":[\"a.test\",\"b.test/x\"]}",
	  "blocked_urls[1]: \"b.test/x\" has a path, which only a filter that looks into connections "
	  "could see, and this version does not" },
	{ "{\"network_mode\":\"blocklist\",\"users\":[1],\"blocked_urls\":[\"a.test/?q=1\"]}",
	  "blocked_urls[0]: \"a.test/?q=1\" has a path, which only" },
	{ "{\"network_mode\":\"allowlist\",\"users\":[1],\"enforcement\":\"filter\",\"allowed_"
	  "hosts\":[\"a.test\"]}",
	  NULL },
	{ "{\"network_mode\":\"allowlist\",\"users\":[1],\"allowed_hosts\":[\"a.test\",\"*.b."
	  "test\"]}",
	  NULL },
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

static const char wildcard_text[] = "{\"network_mode\":\"allowlist\",\"users\":[1500],\"allowed_"
				    "hosts\":[\"*.example.test\",\"a.test\"],"
				    "\"canary\":[\"198.51.100.7:443\"]}";
static struct range wildcard_user[] = { { 1500, 1500 } };

static struct filter_plan sample_filter(void)
{
	struct address_port listen[] = { { sample_address("127.0.0.1"), 3128 },
					 { sample_address("::1"), 3128 } },
			    server = { sample_address("127.0.0.11"), 53 };
	struct filter_plan filter = {
		.uid = FILTER_UID_DEFAULT,
		.listen = { listen, 2 },
		.nameservers = { &server, 1 },
		.log = (char[]){ "/log" },
		.log_files = 4,
		.log_full = LOG_FULL_REFUSE,
		.denial = DENIAL_HIDDEN,
		.program = (char[]){ "/usr/sbin/egressfilter" },
		.start = true,
	};

	return filter_plan_copy(&filter);
}

static bool build_wildcards(const struct filter_plan *filter, struct policy *policy,
			    struct plan *ret, struct err *err)
{
	const struct rangeset users = { wildcard_user, 1 };
	const struct resolved none = { 0 };
	const struct plan_request request = {
		.policy = policy, .resolved = &none, .confined = &users, .instance = "",
		.filter = filter, .hosts = true,
	};
	const char **names;
	size_t count;

	ck_assert_msg(policy_parse(wildcard_text, strlen(wildcard_text), policy, err), "%s",
		      err->text);
	/* Nothing is asked for beforehand. */
	ck_assert(policy_names(policy, &names, &count, err));
	ck_assert_uint_eq(count, 0);
	free(names);
	return plan_build(&request, ret, err);
}

START_TEST(wildcards_need_a_filter)
{
	struct policy policy;
	struct plan unbuilt;
	struct err err;

	ck_assert(!build_wildcards(NULL, &policy, &unbuilt, &err));
	ck_assert_str_eq(err.text, "this policy needs the filter");
	policy_free(&policy);
}
END_TEST

START_TEST(a_filter_is_kept_with_the_plan)
{
	struct filter_plan filter = sample_filter();
	struct buffer bytes = { 0 };
	struct policy policy;
	struct plan plan, back;
	struct err err;

	ck_assert_msg(build_wildcards(&filter, &policy, &plan, &err), "%s", err.text);
	ck_assert(plan.filtered);
	ck_assert_uint_eq(plan.hosts.count, 0);
	plan_encode(&plan, &bytes);
	ck_assert_msg(plan_decode(bytes.data, bytes.length, &back, &err), "%s", err.text);
	ck_assert(back.filtered);
	ck_assert_uint_eq(back.filter.uid, FILTER_UID_DEFAULT);
	ck_assert_uint_eq(back.filter.listen.count, 2);
	ck_assert_uint_eq(back.filter.listen.items[1].port, 3128);
	ck_assert_uint_eq(back.filter.nameservers.count, 1);
	ck_assert_str_eq(back.filter.log, "/log");
	ck_assert_uint_eq(back.filter.log_files, 4);
	ck_assert_int_eq(back.filter.log_full, LOG_FULL_REFUSE);
	ck_assert_int_eq(back.filter.denial, DENIAL_HIDDEN);
	ck_assert_str_eq(back.filter.program, "/usr/sbin/egressfilter");
	ck_assert(back.filter.start);
	for (size_t length = 0; length < bytes.length; length++)
		ck_assert(!plan_decode(bytes.data, length, &(struct plan){ 0 }, &err));
	buffer_free(&bytes);
	plan_free(&plan);
	plan_free(&back);
	policy_free(&policy);
	filter_plan_free(&filter);
}
END_TEST

static const struct {
	const char *listen, *sentence; /* NULL: the filter can listen there */
} listens[] = {
	{ "127.0.0.1:3128", NULL },
	{ "127.9.9.9:65535", NULL },
	{ "[::1]:1024", NULL },
	{ "192.0.2.1:3128", "192.0.2.1 is no loopback address, and others could use the filter there" },
	{ "0.0.0.0:3128", "0.0.0.0 is no loopback address, and others could use the filter there" },
	{ "[::]:3128", ":: is no loopback address, and others could use the filter there" },
	{ "127.0.0.11:3128",
	  "127.0.0.11 port 3128 is a resolver's, which the confined users cannot reach" },
	{ "127.0.0.1:5353",
	  "127.0.0.1 port 5353 is a resolver's, which the confined users cannot reach" },
	{ "127.0.0.1:53", "port 53 is one that only root may listen on: 1024 to 65535 were expected" },
	{ "[::1]:853", "port 853 is one that only root may listen on: 1024 to 65535 were expected" },
};

START_TEST(where_the_filter_can_listen)
{
	struct address_port listen;
	struct err err = { "" };

	ck_assert(address_port_parse(listens[_i].listen, &listen, &err));
	ck_assert_int_eq(filter_listen_check(&listen, &err), listens[_i].sentence == NULL);
	if (listens[_i].sentence)
		ck_assert_str_eq(err.text, listens[_i].sentence);
}
END_TEST

START_TEST(as_whom_the_filter_can_run)
{
	struct range confined_range = { 1500, 1600 }, exempt_range = { 33, 33 };
	const struct rangeset confined = { &confined_range, 1 }, exempt = { &exempt_range, 1 };
	struct err err;

	ck_assert(filter_uid_check(1601, &confined, &exempt, &err));
	ck_assert(!filter_uid_check(0, &confined, &exempt, &err));
	ck_assert_str_eq(err.text, "the filter cannot run as uid 0");
	ck_assert(!filter_uid_check(1600, &confined, &exempt, &err));
	ck_assert_str_eq(err.text, "uid 1600 is a confined user, and cannot be the filter's");
	ck_assert(!filter_uid_check(33, &confined, &exempt, &err));
	ck_assert_str_eq(err.text, "uid 33 is one of \"exempt_users\", and cannot be the filter's, "
				   "which has rules of its own");
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("plan");

	tcase_add_test(cases, a_plan_is_whole);
	tcase_add_test(cases, instances_have_names);
	tcase_add_loop_test(cases, what_this_version_can_enforce, 0, COUNT_OF(enforceable));
	tcase_add_test(cases, an_allowed_canary_is_an_error);
	tcase_add_test(cases, wildcards_need_a_filter);
	tcase_add_test(cases, a_filter_is_kept_with_the_plan);
	tcase_add_loop_test(cases, where_the_filter_can_listen, 0, COUNT_OF(listens));
	tcase_add_test(cases, as_whom_the_filter_can_run);
	return suite_end("plan", cases);
}
