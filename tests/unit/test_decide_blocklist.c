/* test_decide_blocklist.c: decisions by lists of what is blocked, down to path and query. */
#include "decide_rows.h"

START_TEST(blocklist_of_hosts)
{
	static const struct row rows[] = {
		{ "evil.test", B, P, "blocked_urls[0] \"evil.test\"" },
		{ "evil.test:8443", B, P, "blocked_urls[0] \"evil.test\"" },
		{ "http://x.y.evil.test/z", B, P, "blocked_urls[0] \"evil.test\"" },
		{ "notevil.test", A, P, "default" },
		{ "evil.test.example", A, P, "default" },
		{ "test", A, P, "default" },
		{ "port.test:8443", B, P, "blocked_urls[1] \"https://port.test:8443\"" },
		{ "port.test:443", A, P, "default" },
		{ "192.0.2.1:22", B, P, "blocked_urls[2] \"192.0.2.1\"" },
		{ "192.0.2.2:22", A, P, "default" },
		{ "2001:db8::1", B, P, "blocked_urls[3] \"[2001:db8::1]\"" },
		{ "api.evil.test", A, P, "model_endpoints[0] \"https://api.evil.test\"" },
		{ "api.evil.test:80", B, P, "blocked_urls[0] \"evil.test\"" },
		{ "127.0.0.1:80", A, K, "loopback \"any\"" },
		{ "127.0.0.1:53", B, K, "loopback resolvers" },
		{ "10.0.0.1", B, P, "special-purpose" },
		{ "169.254.169.254:80", B, P, "special-purpose" },
		{ "64:ff9b::7f00:1", B, P, "special-purpose" },
		{ "2002:a9fe:a9fe::1", B, P, "special-purpose" },
		{ "fe80::1", B, P, "special-purpose" },
		{ "0.0.0.0", B, P, "special-purpose" },
		{ "::", B, P, "special-purpose" },
		{ "172.16.0.5", A, P, "default" },
		{ "172.16.1.5", B, P, "special-purpose" },
	};

	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"evil.test\","
	      "\"https://port.test:8443\",\"192.0.2.1\",\"2001:db8::1\"],"
	      "\"model_endpoints\":[\"https://api.evil.test\"],"
	      "\"allow_private\":[\"172.16.0.0/24\"]}",
	      rows, COUNT_OF(rows));
}
END_TEST

/* The same policy whose endpoints are closed: nothing else here would close them. */
START_TEST(closed_endpoints)
{
	static const struct row rows[] = {
		{ "https://models.test/v1", B, P, "model_endpoints[0] \"https://models.test\"" },
		{ "models.test:443", B, P, "model_endpoints[0] \"https://models.test\"" },
		{ "192.0.2.9:8443", B, P, "model_endpoints[1] \"https://192.0.2.9:8443\"" },
		{ "models.test:80", A, P, "default" },
		{ "x.models.test", A, P, "default" },
		{ "evil.test", B, P, "blocked_urls[0] \"evil.test\"" },
		{ "127.0.0.1:11434", A, K, "loopback \"any\"" },
	};

	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"evil.test\"],"
		   "\"allow_model_endpoint\":false,\"model_endpoints\":[\"https://models.test\","
		   "\"https://192.0.2.9:8443\",\"http://127.0.0.1:11434\"]}",
		   rows, COUNT_OF(rows));
}
END_TEST

START_TEST(case_G7)
{
	static const struct row rows[] = {
		{ "h.test", I, LAYER_TLS, "blocked_urls[0] \"h.test/secret\"" },
		{ "x.h.test:8443", I, LAYER_TLS, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/secret", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "http://h.test:8080/secret", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://x.h.test/secret/deeper", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/a/../secret", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/a/%2e%2e/secret", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test//secret", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/./secret", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/%73ecret", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/secret/", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/secret;x=1", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/secret?x", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/SECRET", B, LAYER_HTTP, "blocked_urls[0] \"h.test/secret\"" },
		{ "https://h.test/secretary", A, P, "default" },
		{ "https://h.test/", A, P, "default" },
		{ "https://h.test/a/secret", A, P, "default" },
		{ "https://nh.test/secret", A, P, "default" },
	};

	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"https://h.test/secret\"]}", rows,
	      COUNT_OF(rows));
	/* Every spelling of the rule is the same rule. */
	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"H.test/a/../%73ecret/\"]}", rows,
	      COUNT_OF(rows));
}
END_TEST

START_TEST(queries_match_when_all_parameters_are_there)
{
	static const struct row rows[] = {
		{ "https://h.test/watch?v=abc&list=1", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch?list&x=y&v=abc", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch?list=;%76=%61bc", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch?V=ABC&LIST", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch/z?v=abc&list", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch?v=no&v=abc&list", B, LAYER_HTTP,
		  "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
		{ "https://h.test/watch?v=abc", A, P, "default" },
		{ "https://h.test/watch?v=abcd&list", A, P, "default" },
		{ "https://h.test/watch?list", A, P, "default" },
		{ "https://h.test/watch", A, P, "default" },
		{ "https://h.test/?v=abc&list", A, P, "default" },
		{ "https://h.test/find?q=two+words", B, LAYER_HTTP,
		  "blocked_urls[1] \"h.test/?q=two%20words\"" },
		{ "https://h.test/?q=two%20words&x", B, LAYER_HTTP,
		  "blocked_urls[1] \"h.test/?q=two%20words\"" },
		{ "h.test", I, LAYER_TLS, "blocked_urls[0] \"h.test/watch?v=abc&list\"" },
	};

	check_rows("{\"network_mode\":\"blocklist\","
	      "\"blocked_urls\":[\"https://h.test/watch?v=abc&list\",\"h.test/?q=two+words\"]}",
	      rows, COUNT_OF(rows));
}
END_TEST

/* A name with a number as path is no prefix. */
START_TEST(paths_of_digits)
{
	static const struct row rows[] = {
		{ "https://h.test/42", B, LAYER_HTTP, "blocked_urls[0] \"h.test/42\"" },
		{ "https://h.test/43", A, P, "default" },
	};

	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"h.test/42\"]}", rows, COUNT_OF(rows));
}
END_TEST

/* Whatever their order: a blocked host is not inspected. */
START_TEST(a_blocked_host_wins_over_a_blocked_path)
{
	static const struct row rows[] = {
		{ "a.h.test", B, P, "blocked_urls[1] \"a.h.test\"" },
		{ "b.h.test", I, LAYER_TLS, "blocked_urls[0] \"h.test/x\"" },
		{ "https://a.h.test/y", B, P, "blocked_urls[1] \"a.h.test\"" },
		{ "https://b.h.test/y", A, P, "default" },
	};

	check_rows("{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"h.test/x\",\"a.h.test\"]}", rows,
	      COUNT_OF(rows));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		blocklist_of_hosts,
		closed_endpoints,
		case_G7,
		queries_match_when_all_parameters_are_there,
		paths_of_digits,
		a_blocked_host_wins_over_a_blocked_path,
	};

	return suite_run("decide_blocklist", tests, COUNT_OF(tests));
}
