/* test_decide.c: decisions by loopback, lanes and lists of what is allowed. */
#include "decide_rows.h"

#include <stdio.h>

START_TEST(public_allows_everything)
{
	static const struct row rows[] = {
		{ "a.test", A, K, "network_mode \"public\"" },
		{ "127.0.0.11:53", A, K, "network_mode \"public\"" },
		{ "http://192.0.2.1/x", A, K, "network_mode \"public\"" },
	};

	check_rows("{\"network_mode\":\"public\"}", rows, COUNT_OF(rows));
}
END_TEST

START_TEST(no_network_is_loopback_and_lanes)
{
	static const struct row rows[] = {
		{ "a.test", B, K, "network_mode \"no-network\"" },
		{ "192.0.2.1:80", B, K, "network_mode \"no-network\"" },
		{ "2001:db8::1", B, K, "network_mode \"no-network\"" },
		{ "10.0.0.1", B, K, "network_mode \"no-network\"" },
		{ "0.0.0.0", B, K, "network_mode \"no-network\"" },
		{ "127.0.0.1:8080", A, K, "loopback \"any\"" },
		{ "127.9.9.9:1", A, K, "loopback \"any\"" },
		{ "[::1]:8080", A, K, "loopback \"any\"" },
		{ "api.test", A, K, "model_endpoints[0] \"https://api.test\"" },
		{ "https://api.test/v1/x", A, K, "model_endpoints[0] \"https://api.test\"" },
		{ "api.test:80", B, K, "network_mode \"no-network\"" },
		{ "x.api.test", B, K, "network_mode \"no-network\"" },
		{ "192.0.2.9:8000", A, K, "model_endpoints[1] \"http://192.0.2.9:8000\"" },
		{ "192.0.2.9:8001", B, K, "network_mode \"no-network\"" },
		{ "192.0.2.8:8000", B, K, "network_mode \"no-network\"" },
	};
	static const struct row hermetic[] = {
		{ "api.test", B, K, "network_mode \"no-network\"" },
		{ "192.0.2.9:8000", B, K, "network_mode \"no-network\"" },
		{ "127.0.0.1:8080", A, K, "loopback \"any\"" },
	};

	check_rows("{\"network_mode\":\"no-network\",\"model_endpoints\":[\"https://api.test/v1\","
	      "\"http://192.0.2.9:8000\"]}",
	      rows, COUNT_OF(rows));
	check_rows("{\"network_mode\":\"no-network\",\"model_endpoints\":[\"https://api.test/v1\","
	      "\"http://192.0.2.9:8000\"],\"allow_model_endpoint\":false}",
	      hermetic, COUNT_OF(hermetic));
}
END_TEST

START_TEST(resolvers_on_loopback_are_closed)
{
	static const struct row rows[] = {
		{ "127.0.0.11:53", B, K, "loopback resolvers" },
		{ "127.0.0.11:45353", B, K, "loopback resolvers" },
		{ "127.0.0.53:53", B, K, "loopback resolvers" },
		{ "127.0.0.1:53", B, K, "loopback resolvers" },
		{ "127.0.0.1:853", B, K, "loopback resolvers" },
		{ "127.0.0.1:5353", B, K, "loopback resolvers" },
		{ "[::1]:53", B, K, "loopback resolvers" },
		{ "127.0.0.1:54", A, K, "loopback \"any\"" },
		{ "127.0.0.12:45353", A, K, "loopback \"any\"" },
	};
	static const struct row ports[] = {
		{ "127.0.0.1:8080", A, K, "loopback 8080" },
		{ "127.0.0.1:9005", A, K, "loopback 9005" },
		{ "[::1]:9010", A, K, "loopback 9010" },
		{ "127.0.0.1:9011", B, K, "loopback" },
		{ "127.0.0.1:443", B, K, "loopback" },
		{ "127.0.0.11:8080", B, K, "loopback resolvers" },
	};
	static const struct row nothing[] = { { "127.0.0.1:8080", B, K, "loopback" } };
	static const struct row lane[] = {
		{ "127.0.0.1:8080", A, K, "model_endpoints[0] \"http://127.0.0.1:8080\"" },
		{ "127.0.0.1:8081", B, K, "loopback" },
		{ "[::1]:8080", B, K, "loopback" },
	};

	check_rows("{\"network_mode\":\"no-network\"}", rows, COUNT_OF(rows));
	check_rows("{\"network_mode\":\"no-network\",\"loopback\":[],\"model_endpoints\":[\"http://"
	      "127.0.0.1:8080\"]}",
	      lane, COUNT_OF(lane));
	check_rows("{\"network_mode\":\"no-network\",\"loopback\":[],\"enforcement\":\"filter\","
	      "\"model_endpoints\":[\"http://127.0.0.1:8080\"]}",
	      lane, COUNT_OF(lane));
	check_rows("{\"network_mode\":\"no-network\",\"loopback\":[8080,\"9000-9010\"]}", ports,
	      COUNT_OF(ports));
	check_rows("{\"network_mode\":\"no-network\",\"loopback\":[]}", nothing, COUNT_OF(nothing));
}
END_TEST

START_TEST(allowlist_by_pins)
{
	static const struct row rows[] = {
		{ "a.test", A, K, "allowed_hosts[0] \"a.test\"" },
		{ "http://A.test./x", A, K, "allowed_hosts[0] \"a.test\"" },
		{ "a.test:8443", A, K, "allowed_hosts[1] \"a.test:8443\"" },
		{ "a.test:22", B, K, "allowed_hosts[0] \"a.test\"" },
		{ "x.a.test", B, K, "default" },
		{ "test", B, K, "default" },
		{ "192.0.2.10", A, K, "allowed_hosts[2] \"192.0.2.10\"" },
		{ "192.0.2.11", B, K, "default" },
		{ "192.0.2.10:22", B, K, "allowed_hosts[2] \"192.0.2.10\"" },
		{ "198.51.100.255:9", A, K, "allowed_hosts[3] \"198.51.100.0/24:*\"" },
		{ "198.51.101.0:9", B, K, "default" },
		{ "[2001:db8:ffff::1]:1001", A, K,
		  "allowed_hosts[4] \"[2001:db8::/32]:1000-1010\"" },
		{ "[2001:db8:ffff::1]:1011", B, K,
		  "allowed_hosts[4] \"[2001:db8::/32]:1000-1010\"" },
		{ "[2001:db9::1]:1001", B, K, "default" },
		{ "127.0.0.1:3000", A, K, "loopback \"any\"" },
		{ "10.0.0.1", B, K, "default" },
	};

	check_rows("{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"a.test\",\"a.test:8443\","
	      "\"192.0.2.10\",\"198.51.100.0/24:*\",\"[2001:db8::/32]:1000-1010\"]}",
	      rows, COUNT_OF(rows));
}
END_TEST

START_TEST(case_A4)
{
	static const struct row rows[] = {
		{ "a.example.test", A, P, "allowed_hosts[0] \"*.example.test\"" },
		{ "a.b.example.test", A, P, "allowed_hosts[0] \"*.example.test\"" },
		{ "example.test", B, P, "default" },
		{ "notexample.test", B, P, "default" },
		{ "example.test.evil.test", B, P, "default" },
		{ "axexample.test", B, P, "default" },
		{ "a.example.test:22", B, P, "allowed_hosts[0] \"*.example.test\"" },
		{ "192.0.2.1", B, P, "default" },
	};

	check_rows("{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"*.example.test\"]}", rows,
	      COUNT_OF(rows));
}
END_TEST

/* A name is never matched by an address rule, nor an address by a name. */
START_TEST(names_and_addresses_do_not_mix)
{
	struct policy policy = policy_of("{\"network_mode\":\"allowlist\","
					 "\"allowed_hosts\":[\"0.0.0.0/1:*\",\"a.test\"]}");
	struct target target = { .host = "b.test", .port = 443 };
	struct decision decision;

	decide(&policy, &target, &decision);
	ck_assert_int_eq(decision.verdict, B);
	target = (struct target){ .host = "", .address = { FAMILY_IPV6, { 0 } }, .port = 443 };
	decide(&policy, &target, &decision);
	ck_assert_int_eq(decision.verdict, B);
	policy_free(&policy);
}
END_TEST

START_TEST(enforcement_follows_the_list)
{
	static const struct {
		const char *text;
		enum enforcement enforcement;
	} rows[] = {
		{ "{\"network_mode\":\"no-network\"}", ENFORCE_PIN },
		{ "{\"network_mode\":\"public\"}", ENFORCE_PIN },
		{ "{\"network_mode\":\"no-network\",\"enforcement\":\"filter\"}", ENFORCE_FILTER },
		{ "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"a.test\","
		  "\"192.0.2.0/24\"]}",
		  ENFORCE_PIN },
		{ "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"a.test\",\"*.b.test\"]}",
		  ENFORCE_FILTER },
		{ "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"a.test\"],"
		  "\"enforcement\":\"filter\"}",
		  ENFORCE_FILTER },
		{ "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"a.test\"],"
		  "\"enforcement\":\"pin\"}",
		  ENFORCE_PIN },
		{ "{\"network_mode\":\"blocklist\",\"blocked_urls\":[\"a.test\"]}",
		  ENFORCE_FILTER },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct policy policy = policy_of(rows[i].text);

		ck_assert_msg(policy_enforcement(&policy) == rows[i].enforcement, "%s",
			      rows[i].text);
		policy_free(&policy);
	}
}
END_TEST

START_TEST(long_rules_fit)
{
	char text[512], label[64];
	struct decision decision;
	struct policy policy;
	struct target target = { .port = 65535 };

	memset(label, 'a', 63);
	label[63] = '\0';
	snprintf(target.host, sizeof(target.host), "%s.%s.%s.%.61s", label, label, label, label);
	snprintf(text, sizeof(text),
		 "{\"network_mode\":\"allowlist\",\"allowed_hosts\":[\"%s:65534-65535\"]}",
		 target.host);
	policy = policy_of(text);
	decide(&policy, &target, &decision);
	ck_assert_int_eq(decision.verdict, A);
	ck_assert_str_eq(decision.rule + strlen(decision.rule) - 8, "4-65535\"");
	policy_free(&policy);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		public_allows_everything,
		no_network_is_loopback_and_lanes,
		resolvers_on_loopback_are_closed,
		allowlist_by_pins,
		case_A4,
		names_and_addresses_do_not_mix,
		enforcement_follows_the_list,
		long_rules_fit,
	};

	return suite_run("decide", tests, COUNT_OF(tests));
}
