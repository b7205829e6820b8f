/* test_settings.c: the settings of egressfilter: what is taken, what is refused and how it is said. */
#include "filter/settings.h"

#include "base/memory.h"
#include "suite.h"

#include <inttypes.h>
#include <string.h>

#define POLICY "\"policy\": {\"network_mode\": \"no-network\", \"users\": [1500]}"
#define LISTEN ", \"listen\": [\"127.0.0.1:3128\"]"
#define LOG ", \"log\": \"/var/log/filter\""
#define LEAST POLICY LISTEN LOG

static const struct {
	const char *text;
	const char *sentence;
} bad_rows[] = {
	{ "", "the policy is empty; expected a JSON object" },
	{ "[]", "expected a JSON object, found an array" },
	{ "{}", "policy: is missing" },
	{ "{" POLICY "}", "listen: is missing" },
	{ "{" POLICY LISTEN "}", "log: is missing" },
	{ "{" POLICY LISTEN ", \"logg\": \"/x\"}", "unknown field \"logg\"; did you mean \"log\"?" },
	{ "{" LEAST ", \"lgo\": 1}", "unknown field \"lgo\"; did you mean \"log\"?" },
	{ "{" LEAST ", \"log\": \"/x\"}", "line 1, column 121: a key is there twice in one object, near \"log\"" },
	{ "{\"policy\": 1" LISTEN LOG "}", "policy: expected an object, the policy, found 1" },
	{ "{\"policy\": {\"network_mode\": \"none\"}" LISTEN LOG "}",
	  "policy: network_mode: expected \"public\", \"no-network\", \"allowlist\" or \"blocklist\", found \"none\"" },
	{ "{" POLICY LOG ", \"listen\": []}", "listen: the array is empty; name a loopback address and a port" },
	{ "{" POLICY LOG ", \"listen\": [\"0.0.0.0:3128\"]}",
	  "listen[0]: 0.0.0.0 is no loopback address; the filter would serve the whole network" },
	{ "{" POLICY LOG ", \"listen\": [\"127.0.0.1:1\", \"[::]:1\"]}",
	  "listen[1]: :: is no loopback address; the filter would serve the whole network" },
	{ "{" POLICY LOG ", \"listen\": [\"127.0.0.1:1\", \"127.0.0.1:1\"]}",
	  "listen[1]: is the same as listen[0]; remove one" },
	{ "{" POLICY LOG ", \"listen\": [\"127.0.0.1\"]}",
	  "listen[0]: \"127.0.0.1\" is not an address with a port; expected \"192.0.2.1:443\" or \"[2001:db8::1]:443\"" },
	{ "{" POLICY LOG ", \"listen\": [3128]}", "listen[0]: expected \"address:port\", found 3128" },
	{ "{" POLICY LOG ", \"listen\": 3128}", "listen: expected an array of \"address:port\", found 3128" },
	{ "{" POLICY LISTEN ", \"log\": \"log\"}", "log: expected an absolute path, found \"log\"" },
	{ "{" POLICY LISTEN ", \"log\": \"\"}", "log: expected an absolute path, found \"\"" },
	{ "{" LEAST ", \"log_files\": 0}", "log_files: expected a number from 1 to 99, found 0" },
	{ "{" LEAST ", \"log_files\": 100}", "log_files: expected a number from 1 to 99, found 100" },
	{ "{" LEAST ", \"log_full\": \"wait\"}", "log_full: expected \"drop\" or \"refuse\", found \"wait\"" },
	{ "{" LEAST ", \"log_size\": 4095}",
	  "log_size: expected a number of bytes from 4096 to 4294967295, found 4095" },
	{ "{" LEAST ", \"nameservers\": [\"ns.example.com:53\"]}",
	  "nameservers[0]: \"ns.example.com\" is not an address; expected four numbers as in \"192.0.2.1\", or IPv6 as in \"2001:db8::1\"" },
	{ "{" LEAST ", \"nameservers\": [\"192.0.2.1:1\",\"192.0.2.1:2\",\"192.0.2.1:3\",\"192.0.2.1:4\","
	  "\"192.0.2.1:5\",\"192.0.2.1:6\",\"192.0.2.1:7\",\"192.0.2.1:8\",\"192.0.2.1:9\"]}",
	  "nameservers: has 9 entries; there may be 8" },
	{ "{" LEAST ", \"denial\": \"quiet\"}", "denial: expected \"plain\" or \"hidden\", found \"quiet\"" },
	{ "{" LEAST ", \"limits\": 1}", "limits: expected an object, found 1" },
	{ "{" LEAST ", \"limits\": {\"head_m\": 1}}", "limits: unknown field \"head_m\"; did you mean \"head_ms\"?" },
	{ "{" LEAST ", \"limits\": {\"connections\": 0}}",
	  "limits.connections: expected a number from 1 to 1000000, found 0" },
	{ "{" LEAST ", \"limits\": {\"idle_ms\": \"1\"}}",
	  "limits.idle_ms: \"1\" is a string; write it as a number, without quotation marks" },
};

START_TEST(test_refused)
{
	for (size_t i = 0; i < COUNT_OF(bad_rows); i++) {
		struct settings settings;
		struct err err;

		ck_assert_msg(!settings_parse(bad_rows[i].text, strlen(bad_rows[i].text), &settings, &err),
			      "%s: taken", bad_rows[i].text);
		ck_assert_str_eq(err.text, bad_rows[i].sentence);
	}
}
END_TEST

START_TEST(test_defaults)
{
	static const char text[] = "{" LEAST "}";
	struct settings settings;
	struct err err;

	ck_assert_msg(settings_parse(text, strlen(text), &settings, &err), "%s", err.text);
	ck_assert_int_eq(settings.policy.mode, MODE_NO_NETWORK);
	ck_assert_uint_eq(settings.listen.count, 1);
	ck_assert_uint_eq(settings.listen.items[0].port, 3128);
	ck_assert_uint_eq(settings.nameservers.count, 0);
	ck_assert_str_eq(settings.log, "/var/log/filter");
	ck_assert_uint_eq(settings.log_size, LOG_SIZE_DEFAULT);
	ck_assert_uint_eq(settings.log_files, FILTER_LOG_FILES_DEFAULT);
	ck_assert_int_eq(settings.log_full, LOG_FULL_DROP);
	ck_assert_int_eq(settings.denial, DENIAL_PLAIN);
	/* As the manual says. */
	ck_assert_uint_eq(settings.limits.connections, 8192);
	ck_assert_uint_eq(settings.limits.header_bytes, 65536);
	ck_assert_uint_eq(settings.limits.hello_bytes, 32768);
	ck_assert_uint_eq(settings.limits.head_ms, 15000);
	ck_assert_uint_eq(settings.limits.connect_ms, 15000);
	ck_assert_uint_eq(settings.limits.idle_ms, 14400000);
	settings_free(&settings);
}
END_TEST

static bool is_taken(const char *member)
{
	autofree char *text = memory_format("{" LEAST ", %s}", member);
	struct settings settings;
	struct err err;

	if (!settings_parse(text, strlen(text), &settings, &err))
		return false;
	settings_free(&settings);
	return true;
}

START_TEST(test_bounds)
{
	static const struct {
		const char *name;
		uint32_t first;
		uint64_t last;
	} rows[] = {
		{ "connections", 1, 1000000 }, { "header_bytes", 1024, 1048576 }, { "hello_bytes", 512, 262144 },
		{ "head_ms", 1, 3600000 },     { "connect_ms", 1, 3600000 },	  { "idle_ms", 1, UINT32_MAX },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int64_t values[] = { rows[i].first - 1L, rows[i].first, (int64_t)rows[i].last, (int64_t)rows[i].last + 1 };

		for (size_t j = 0; j < COUNT_OF(values); j++) {
			autofree char *member = memory_format("\"limits\": {\"%s\": %" PRIi64 "}", rows[i].name, values[j]);

			ck_assert_msg(is_taken(member) == (j == 1 || j == 2), "%s", member);
		}
	}
	ck_assert(is_taken("\"nameservers\": [\"192.0.2.1:1\",\"192.0.2.1:2\",\"192.0.2.1:3\",\"192.0.2.1:4\","
			   "\"192.0.2.1:5\",\"192.0.2.1:6\",\"192.0.2.1:7\",\"192.0.2.1:8\"]"));
}
END_TEST

/* Every member differs from its default. */
static const char everything[] =
	"{\"policy\": {\"network_mode\": \"allowlist\", \"users\": [1500], \"allowed_hosts\": [\"*.example.com\", "
	"\"198.51.100.0/24:*\"]}, \"listen\": [\"127.0.0.1:3128\", \"[::1]:3128\"], \"nameservers\": "
	"[\"192.0.2.53:53\", \"[2001:db8::53]:5353\"], \"log\": \"/var/log/a \\\"b\\\" \\u00fc\", \"log_size\": 4096, "
	"\"log_files\": 99, \"log_full\": \"refuse\", \"denial\": \"hidden\", \"limits\": {\"connections\": 7, \"header_bytes\": 1024, \"hello_bytes\": 512, "
	"\"head_ms\": 1, \"connect_ms\": 2, \"idle_ms\": 4294967295}}";

START_TEST(test_print)
{
	struct buffer once = { 0 }, twice = { 0 };
	struct settings settings, again;
	struct err err;

	ck_assert_msg(settings_parse(everything, strlen(everything), &settings, &err), "%s", err.text);
	settings_print(&settings, &once);
	ck_assert_msg(settings_parse(buffer_string(&once), once.length, &again, &err), "%s", err.text);
	settings_print(&again, &twice);
	ck_assert_str_eq(buffer_string(&once), buffer_string(&twice));
	ck_assert_str_eq(again.log, "/var/log/a \"b\" \xc3\xbc");
	ck_assert_uint_eq(again.log_size, 4096);
	ck_assert_uint_eq(again.log_files, 99);
	ck_assert_int_eq(again.log_full, LOG_FULL_REFUSE);
	ck_assert_int_eq(again.denial, DENIAL_HIDDEN);
	ck_assert_uint_eq(again.limits.connections, 7);
	ck_assert_uint_eq(again.limits.header_bytes, 1024);
	ck_assert_uint_eq(again.limits.hello_bytes, 512);
	ck_assert_uint_eq(again.limits.head_ms, 1);
	ck_assert_uint_eq(again.limits.connect_ms, 2);
	ck_assert_uint_eq(again.limits.idle_ms, UINT32_MAX);
	ck_assert_uint_eq(again.policy.allowed_hosts.count, 2);
	ck_assert_uint_eq(again.nameservers.items[1].port, 5353);
	buffer_free(&once);
	buffer_free(&twice);
	settings_free(&settings);
	settings_free(&again);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_refused, test_defaults, test_bounds, test_print };

	return suite_run("settings", tests, COUNT_OF(tests));
}
