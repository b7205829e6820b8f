/* test_policy.c: what the golden policies cannot hold: defaults, odd bytes, sizes and all users. */
#include "policy/policy.h"

#include "base/memory.h"

#include "suite.h"

#include <string.h>

static void refused(const char *text, size_t length, const char *why)
{
	struct policy policy, before;
	struct err err;

	memset(&policy, 0x5a, sizeof(policy));
	before = policy;
	ck_assert_msg(!policy_parse(text, length, &policy, &err), "%s is taken", text);
	ck_assert_msg(strstr(err.text, why), "%s: %s", text, err.text);
	ck_assert_mem_eq(&policy, &before, sizeof(before));
	/* One line, of which no byte can steer a terminal. */
	for (const char *at = err.text; *at; at++)
		ck_assert_msg(*at >= 0x20 && *at < 0x7f, "%s", err.text);
}

static void refused_text(const char *text, const char *why)
{
	refused(text, strlen(text), why);
}

START_TEST(defaults_are_the_narrow_ones)
{
	static const char text[] = "{\"network_mode\":\"no-network\"}";
	struct policy policy;
	struct err err = { "untouched" };

	ck_assert(policy_parse(text, strlen(text), &policy, &err));
	ck_assert_str_eq(err.text, "untouched");
	ck_assert_int_eq(policy.mode, MODE_NO_NETWORK);
	ck_assert_uint_eq(policy.users.count + policy.exempt_users.count, 0);
	ck_assert_uint_eq(policy.model_endpoints.count, 0);
	ck_assert(policy.allow_model_endpoint);
	ck_assert_int_eq(policy.enforcement, ENFORCE_AUTO);
	ck_assert(policy.loopback_any);
	ck_assert_int_eq(policy.ownerless, OWNERLESS_DROP);
	ck_assert(!policy.own_addresses);
	ck_assert_uint_eq(policy.published_ports.count, 0);
	ck_assert_uint_eq(policy.canary.count, 0);
	ck_assert_uint_eq(policy.pin_hosts_max, 256);
	ck_assert_uint_eq(policy.pin_addresses_max, 4096);
	ck_assert_uint_eq(policy.allow_private.count, 0);
	policy_free(&policy);
}
END_TEST

START_TEST(values_arrive)
{
	static const char text[] =
		"{\"users\":[\"agent\",1500,\"100000-165535\"],\"network_mode\":\"allowlist\","
		"\"allowed_hosts\":[\"a.test\",\"*.b.test:*\",\"192.0.2.0/24:22\"],"
		"\"loopback\":[80,81,\"82-90\"],\"published_ports\":[443,80],"
		"\"ownerless\":\"pass\",\"own_addresses\":true,\"canary\":[\"192.0.2.1:443\"],"
		"\"pin_limits\":{\"addresses\":7},\"allow_private\":[\"10.0.0.0/8\"],"
		"\"model_endpoints\":[\"http://m.test/v1\"]}";
	char spelling[DESTINATION_TEXT_SIZE];
	struct policy policy;
	struct err err;

	ck_assert_msg(policy_parse(text, strlen(text), &policy, &err), "%s", err.text);
	ck_assert_uint_eq(policy.users.count, 3);
	ck_assert_str_eq(policy.users.items[0].name, "agent");
	ck_assert_ptr_null(policy.users.items[1].name);
	ck_assert_uint_eq(policy.users.items[1].range.last, 1500);
	ck_assert_uint_eq(policy.users.items[2].range.first, 100000);
	ck_assert_uint_eq(policy.users.items[2].range.last, 165535);
	ck_assert_uint_eq(policy.allowed_hosts.count, 3);
	ck_assert_int_eq(policy.allowed_hosts.items[0].kind, DESTINATION_NAME);
	ck_assert(destination_has_port(&policy.allowed_hosts.items[0], 80));
	ck_assert(destination_has_port(&policy.allowed_hosts.items[0], 443));
	ck_assert(!destination_has_port(&policy.allowed_hosts.items[0], 81));
	ck_assert_int_eq(policy.allowed_hosts.items[1].kind, DESTINATION_WILDCARD);
	ck_assert_str_eq(policy.allowed_hosts.items[1].name, "b.test");
	ck_assert_uint_eq(policy.allowed_hosts.items[1].last_port, 65535);
	ck_assert_int_eq(policy.allowed_hosts.items[2].kind, DESTINATION_PREFIX);
	ck_assert_uint_eq(policy.allowed_hosts.items[2].length, 24);
	ck_assert(!policy.loopback_any);
	ck_assert_uint_eq(policy.loopback_ports.count, 1);
	ck_assert_uint_eq(policy.published_ports.count, 2);
	ck_assert_int_eq(policy.ownerless, OWNERLESS_PASS);
	ck_assert(policy.own_addresses);
	ck_assert_uint_eq(policy.canary.items[0].port, 443);
	ck_assert_uint_eq(policy.pin_hosts_max, 256);
	ck_assert_uint_eq(policy.pin_addresses_max, 7);
	ck_assert_uint_eq(policy.allow_private.items[0].length, 8);
	ck_assert_str_eq(destination_format(&policy.model_endpoints.items[0], spelling),
			 "http://m.test");
	ck_assert_uint_eq(policy.model_endpoints.items[0].first_port, 80);
	policy_free(&policy);
}
END_TEST

START_TEST(case_A1)
{
	static const char *const rows[][2] = {
		{ "{\"users\":[1000],\"network_mode\":\"no-network\",\"prots\":[443]}",
		  "unknown field \"prots\"" },
		{ "{\"rules\":[{\"deny\":\"*\"}]}", "unknown field \"rules\"" },
		{ "{\"network_mode\":\"no-network\",\"allow_host\":[]}",
		  "did you mean \"allowed_hosts\"?" },
		{ "{\"networkmode\":\"no-network\"}", "did you mean \"network_mode\"?" },
		{ "{\"Users\":[1]}", "did you mean \"users\"?" },
		{ "{\"\\u001b[2J\":1}", "unknown field \"\\u001b[2J\"" },
		{ "{}", "network_mode: the field is missing" },
		{ "", "the policy is empty" },
		{ " \r\n\t", "the policy is empty" },
		{ "{\"network_mode\":\"no-network\"} trailing",
		  "line 1, column 38: there is text after" },
		{ "{\"network_mode\":\"no-network\"}{}", "there is text after" },
		{ "{\"network_mode\":\"no-network\",}", "not JSON" },
		{ "{\"network_mode\":\"no-network\"", "ends too early" },
		{ "{'network_mode':'no-network'}",
		  "line 1, column 2: the text is not JSON, near \"'\"" },
		{ "{\"network_mode\":\n \"no-network\",\n \"users\":[1],\"users\":[2]}",
		  "line 3, column 20: a key is there twice in one object, near \"users\"" },
		{ "{\"pin_limits\":{\"hosts\":1,\"hosts\":2},\"network_mode\":\"public\"}",
		  "twice" },
		{ "// comment\n{}", "not JSON" },
		{ "[]", "expected a JSON object, found an array" },
		{ "null", "expected a JSON object, found null" },
		{ "\"no-network\"", "expected a JSON object, found \"no-network\"" },
		{ "1", "expected a JSON object, found 1" },
		{ "{\"network_mode\":NaN}", "not JSON" },
		{ "{\"network_mode\":01}", "not JSON" },
		{ "{\"users\":[1e999]}", "a number is too large" },
		{ "{\"users\":[99999999999999999999]}", "a number is too large" },
		{ "{\"network_mode\":\"\\ud800\"}", "not JSON" },
		{ "{\"network_mode\":\"a\\u0000b\"}", "a string holds \\u0000" },
		{ "{\"a\\u0000b\":1}", "a key holds \\u0000" },
		{ "{\"network_mode\":\"\x1b[2J\"}", "not JSON" },
		{ "\xef\xbb\xbf{\"network_mode\":\"public\"}", "byte order mark" },
		{ "{\"network_mode\":\"\xff\"}", "not UTF-8" },
		{ "{\"network_mode\":\"\xc0\xaf\"}", "not UTF-8" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		refused_text(rows[i][0], rows[i][1]);
}
END_TEST

START_TEST(case_A3)
{
	static const char *const rows[][2] = {
		{ "0", "users[0]: expected a user name, a uid from 1 to 4294967294" },
		{ "4294967295", "found 4294967295" },
		{ "4294967296", "found 4294967296" },
		{ "-1", "found -1" },
		{ "\"1000\"", "users[0]: \"1000\" is a string; write it as a number" },
		{ "\"0\"", "write it as a number" },
		{ "\"root\"", "is uid 0" },
		{ "\"0-10\"", "includes uid 0" },
		{ "\"1-4294967295\"", "includes uid 4294967295" },
		{ "1000.5", "found 1000.5, written with a fraction or an exponent" },
		{ "1000.0", "found 1000, written with a fraction or an exponent" },
		{ "1e3", "found 1000, written with a fraction or an exponent" },
		{ "null", "found null" },
		{ "true", "found true" },
		{ "[1000]", "found an array" },
		{ "{\"uid\":1000}", "found an object" },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		static const char *const fields[] = { "users", "exempt_users" };

		for (size_t j = 0; j < COUNT_OF(fields); j++) {
			char *text = memory_format("{\"network_mode\":\"no-network\",\"%s\":[%s]}",
						   fields[j], rows[i][0]);

			refused_text(text, strchr(rows[i][1], '[') && j ? "users[0]" : rows[i][1]);
			free(text);
		}
	}
	refused_text("{\"network_mode\":\"no-network\",\"users\":[]}", "users: the array is empty");
	refused_text("{\"network_mode\":\"no-network\",\"users\":1000}",
		     "expected an array of user names");
}
END_TEST

START_TEST(bytes_that_a_file_of_the_repository_cannot_hold)
{
	static const char with_nul[] = "{\"network_mode\":\"public\"}\0",
			  inside[] = "{\"a\":\"\0\"}";
	static const char crlf[] = "{\r\n\t\"network_mode\":\r\n\"public\"\r\n}\r\n";
	struct policy policy;
	struct err err;

	refused(with_nul, sizeof(with_nul) - 1, "byte 26 is NUL");
	refused(inside, sizeof(inside) - 1, "byte 7 is NUL");
	ck_assert(policy_parse(crlf, strlen(crlf), &policy, &err));
	policy_free(&policy);
	/* Only `length` bytes count. */
	ck_assert(policy_parse(with_nul, sizeof(with_nul) - 2, &policy, &err));
	policy_free(&policy);
	refused(with_nul, sizeof(with_nul) - 3, "ends too early");
}
END_TEST

START_TEST(nesting_and_size_are_bounded)
{
	static const char start[] = "{\"network_mode\":\"public\"";
	char *text = memory_allocate(POLICY_TEXT_MAX + 1, 1);
	struct policy policy;
	struct err err;

	memset(text, '[', POLICY_TEXT_MAX);
	refused(text, POLICY_TEXT_MAX, "nested too deeply");
	memset(text, ' ', POLICY_TEXT_MAX + 1);
	memcpy(text, start, strlen(start));
	text[POLICY_TEXT_MAX - 1] = '}';
	ck_assert(policy_parse(text, POLICY_TEXT_MAX, &policy, &err));
	policy_free(&policy);
	ck_assert(!policy_parse(text, POLICY_TEXT_MAX + 1, &policy, &err));
	ck_assert_str_eq(err.text, "the policy is larger than 16 MiB");
	free(text);
}
END_TEST

/* Long and hostile values stay one short, printable line. */
START_TEST(values_are_cut_and_escaped)
{
	char *text, name[5000];

	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	text = memory_format("{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"%s\"]}", name);
	refused_text(text, "aaa\"... has a label of 4999 characters");
	free(text);
	text = memory_format("{\"%s\":1}", name);
	refused_text(text, "aaa\"...; egressfw-policy(5) lists the fields");
	free(text);
	refused_text("{\"network_mode\":\"\\u202epublic\\u009b\"}",
		     "found \"\\u202epublic\\u009b\"");
}
END_TEST

START_TEST(many_entries_are_read_in_time)
{
	enum { COUNT = 100000 };
	struct buffer text = { 0 };
	struct policy policy;
	struct err err;

	buffer_append_text(&text, "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[");
	for (int i = 0; i < COUNT; i++)
		buffer_printf(&text, "\"h%d.test\",", i);
	buffer_append_text(&text, "\"last.test\"");
	ck_assert_uint_gt(text.length, COUNT);
	buffer_append_text(&text, ",\"H77.test\"]}");
	refused(buffer_string(&text), text.length,
		"allowed_hosts[100001]: \"H77.test\" is the same as allowed_hosts[77]; remove one");
	text.length -= strlen(",\"H77.test\"]}");
	buffer_append_text(&text, "]}");
	ck_assert(policy_parse(buffer_string(&text), text.length, &policy, &err));
	ck_assert_uint_eq(policy.allowed_hosts.count, COUNT + 1);
	policy_free(&policy);
	buffer_free(&text);
}
END_TEST

/* What differs in one thing is not there twice. */
START_TEST(entries_that_are_near_alike)
{
	static const char text[] =
		"{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"10.0.0.0/8\",\"10.0.0.0/16\",\"64::/16\",\"100.0.0.0/16\","
		"\"a.test:80-90\",\"a.test:80-100\",\"a.test:79-90\",\"a.test\",\"*.a.test\"],"
		"\"model_endpoints\":[\"http://a.test:8000\",\"https://a.test:8000\",\"https://a.test:8001\"]}";
	struct policy policy;
	struct err err;

	ck_assert_msg(policy_parse(text, strlen(text), &policy, &err), "%s", err.text);
	ck_assert_uint_eq(policy.allowed_hosts.count, 9);
	ck_assert_uint_eq(policy.model_endpoints.count, 3);
	policy_free(&policy);
}
END_TEST

START_TEST(all_ports_can_be_published)
{
	struct buffer text = { 0 }, printed = { 0 };
	struct policy policy;
	struct err err;

	buffer_append_text(&text, "{\"network_mode\":\"no-network\",\"published_ports\":[");
	for (int port = 65535; port >= 1; port--)
		buffer_printf(&text, "%d%s", port, port > 1 ? "," : "]}");
	ck_assert(policy_parse(buffer_string(&text), text.length, &policy, &err));
	ck_assert_uint_eq(policy.published_ports.count, 1);
	policy_print(&policy, &printed);
	policy_free(&policy);
	ck_assert(policy_parse(buffer_string(&printed), printed.length, &policy, &err));
	policy_free(&policy);
	buffer_free(&text);
	buffer_free(&printed);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		defaults_are_the_narrow_ones,
		values_arrive,
		case_A1,
		case_A3,
		bytes_that_a_file_of_the_repository_cannot_hold,
		nesting_and_size_are_bounded,
		values_are_cut_and_escaped,
		many_entries_are_read_in_time,
		entries_that_are_near_alike,
		all_ports_can_be_published,
	};

	return suite_run("policy", tests, COUNT_OF(tests));
}
