/* resolver_answers.c: what the resolver makes of the answers that it gets. */
#include "resolver_test.h"

#include "base/memory.h"
#include "system/resolver.h"

#include <stdlib.h>
#include <string.h>

/* A pool that rotates is asked about once, and what one answer said is all that is known. */
START_TEST(case_C1)
{
	retry_ms = NEVER_MS;
	world_serve_here(&world, "pool.test A 203.0.113.5 203.0.113.6 203.0.113.7 rotate\n");
	expect("pool.test", "pool.test: found 203.0.113.5 203.0.113.6 203.0.113.7");
	ck_assert_uint_eq(world_asked_like(&world, "pool.test A "), 1);
	ck_assert_uint_eq(world_asked_like(&world, "pool.test AAAA "), 1);
	ck_assert_uint_eq(world_asked_like(&world, ""), 2);
}
END_TEST

static const char *const special4[] = {
	"127.0.0.1",   "0.0.0.0",    "10.0.0.5",  "100.64.0.1", "169.254.169.254", "172.16.0.1",
	"192.168.1.1", "198.18.0.1", "224.0.0.1", "240.0.0.1",  "255.255.255.255",
};
static const char *const special6[] = {
	"::",
	"::1",
	"fe80::1",
	"fc00::1",
	"ff02::1",
	"::ffff:169.254.169.254",
	"64:ff9b::a9fe:a9fe",
	"2002:a9fe:a9fe::1",
};

static void special_is_refused(const char *address, const char *type)
{
	autofree char *script =
		memory_format("bad.test %s %s\nmixed.test %s %s\nmixed.test %s %s\n", type, address,
			      type, address, strcmp(type, "A") ? "A" : "AAAA",
			      strcmp(type, "A") ? "203.0.113.5" : "2001:db8::5");
	autofree char *want = memory_format(
		"bad.test: only special-purpose addresses - %s, mixed.test: found %s - %s", address,
		strcmp(type, "A") ? "203.0.113.5" : "2001:db8::5", address);

	world_serve_here(&world, script);
	expect("bad.test mixed.test", want);
}

START_TEST(case_C2_ipv4)
{
	special_is_refused(special4[_i], "A");
}
END_TEST

START_TEST(case_C2_ipv6)
{
	special_is_refused(special6[_i], "AAAA");
}
END_TEST

START_TEST(case_C2_mixed_in_one_answer)
{
	world_serve_here(&world, "m.test A 203.0.113.5 10.0.0.5 203.0.113.4 127.0.0.1\n");
	expect("m.test", "m.test: found 203.0.113.4 203.0.113.5 - 10.0.0.5 127.0.0.1");
}
END_TEST

START_TEST(case_C2_listed)
{
	struct prefix prefix = { .address = { FAMILY_IPV4, { 10 } }, .length = 8 };
	struct policy policy = policy_of("in.test");
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = TEST_TIMEOUT_MS,
		.retry_ms = TEST_RETRY_MS,
	};
	struct resolved resolved;
	struct err err;
	char *text;

	policy.allow_private = (struct prefixes){ .items = &prefix, .count = 1 };
	world_serve_here(&world, "in.test A 10.0.0.5 192.168.0.5\n");
	ck_assert(resolver_run(&policy, &settings, &resolved, &err));
	text = resolved_text(&resolved);
	ck_assert_str_eq(text, "in.test: found 10.0.0.5 - 192.168.0.5");
	free(text);
	resolved_free(&resolved);
	policy_done(&policy);
}
END_TEST

/* A repeated address is one; a name that fails leaves the others as they are. */
START_TEST(case_C3)
{
	static const struct {
		const char *line, *status;
	} failures[] = {
		{ "", "NXDOMAIN" },
		{ "b.test ANY rcode=NXDOMAIN", "NXDOMAIN" },
		{ "b.test ANY", "no address" },
		{ "b.test ANY rcode=SERVFAIL", "SERVFAIL" },
		{ "b.test ANY rcode=NOTIMP", "SERVFAIL" },
		{ "b.test ANY rcode=FORMERR", "SERVFAIL" },
		{ "b.test ANY rcode=REFUSED", "REFUSED" },
		{ "b.test ANY drop=all", "timeout" },
		{ "b.test ANY 192.0.2.7 2001:db8::7 malformed=count", "malformed answer" },
		{ "b.test ANY 10.0.0.5", "only special-purpose addresses - 10.0.0.5" },
	};
	autofree char *script = memory_format("a.test A 203.0.113.5 203.0.113.5\n"
					      "c.test A 203.0.113.5 203.0.113.6 203.0.113.5\n"
					      "c.test AAAA 2001:db8::1 2001:db8::1\n%s\n",
					      failures[_i].line);
	autofree char *want = memory_format("a.test: found 203.0.113.5, b.test: %s, "
					    "c.test: found 203.0.113.5 203.0.113.6 2001:db8::1",
					    failures[_i].status);

	world_serve_here(&world, script);
	expect("c.test b.test a.test", want);
}
END_TEST

enum { C3_FAILURES = 10 };

START_TEST(one_family_fails)
{
	static const struct {
		const char *a, *aaaa, *want;
	} cases[] = {
		{ "A 203.0.113.5", "AAAA rcode=SERVFAIL", "found 203.0.113.5" },
		{ "A 203.0.113.5", "AAAA rcode=NXDOMAIN", "found 203.0.113.5" },
		{ "A 203.0.113.5", "AAAA drop=all", "found 203.0.113.5" },
		{ "A 203.0.113.5", "AAAA 2001:db8::1 malformed=length", "found 203.0.113.5" },
		{ "A rcode=REFUSED", "AAAA 2001:db8::1", "found 2001:db8::1" },
		{ "A rcode=NXDOMAIN", "AAAA", "no address" },
		{ "A rcode=NXDOMAIN", "AAAA rcode=NXDOMAIN", "NXDOMAIN" },
		{ "A", "AAAA rcode=SERVFAIL", "SERVFAIL" },
		{ "A rcode=NXDOMAIN", "AAAA rcode=REFUSED", "REFUSED" },
		{ "A 10.0.0.1", "AAAA rcode=SERVFAIL",
		  "only special-purpose addresses - 10.0.0.1" },
	};
	autofree char *script =
		memory_format("x.test %s\nx.test %s\n", cases[_i].a, cases[_i].aaaa);
	autofree char *want = memory_format("x.test: %s", cases[_i].want);

	world_serve_here(&world, script);
	expect("x.test", want);
}
END_TEST

enum { ONE_FAMILY_CASES = 10 };

/* The family that is silent costs three tries, and no more. */
START_TEST(silent_family_is_given_up)
{
	unsigned ms;
	char *text;

	world_serve_here(&world, "x.test A 203.0.113.5\nx.test AAAA drop=all\n");
	text = resolve("x.test", 60000, &ms);
	ck_assert_str_eq(text, "x.test: found 203.0.113.5");
	ck_assert_uint_ge(ms, 7 * TEST_RETRY_MS);
	ck_assert_uint_lt(ms, 25 * TEST_RETRY_MS);
	free(text);
}
END_TEST

START_TEST(aliases)
{
	static const struct {
		const char *script, *want;
	} cases[] = {
		/* Followed within one answer. */
		{ "x.test CNAME y.test\ny.test CNAME z.test\nz.test A 203.0.113.5\n",
		  "found 203.0.113.5" },
		/* Asked again for the target, also when some more hops follow. */
		{ "x.test CNAME y.test bare\ny.test A 203.0.113.5\n", "found 203.0.113.5" },
		{ "x.test CNAME y.test bare\ny.test CNAME z.test bare\nz.test CNAME w.test\nw.test "
		  "A 203.0.113.5\n",
		  "found 203.0.113.5" },
		{ "x.test CNAME y.test bare\n", "NXDOMAIN" },
		{ "x.test CNAME y.test\n", "NXDOMAIN" },
		{ "x.test CNAME y.test\ny.test ANY\n", "no address" },
		{ "x.test CNAME _y.Odd_one.test bare\n_y.odd_one.test A 203.0.113.5\n",
		  "found 203.0.113.5" },
		{ "x.test CNAME y.test\ny.test A 10.0.0.1\n",
		  "only special-purpose addresses - 10.0.0.1" },
		/* Loops, within one answer and over many. */
		{ "x.test CNAME x.test\n", "malformed answer" },
		{ "x.test CNAME y.test\ny.test CNAME x.test\n", "malformed answer" },
		{ "x.test CNAME x.test bare\n", "malformed answer" },
		{ "x.test CNAME y.test bare\ny.test CNAME x.test bare\n", "malformed answer" },
		/* A record of somebody else is none of ours. */
		{ "x.test A 203.0.113.5 owner=other.test\n", "no address" },
		{ "x.test CNAME y.test\ny.test A 203.0.113.5 owner=other.test\n", "no address" },
		{ "x.test CNAME y.test\ny.test A 203.0.113.5 owner=sub.x.test\n", "no address" },
	};
	autofree char *want = memory_format("x.test: %s", cases[_i].want);

	world_serve_here(&world, cases[_i].script);
	expect("x.test", want);
}
END_TEST

enum { ALIAS_CASES = 15 };

/* Eight aliases are followed and a ninth is not, whether they come in one answer or one by one. */
START_TEST(alias_depth)
{
	struct buffer script = { 0 };
	const char *bare = _i ? "bare" : "";

	for (int i = 0; i < 9; i++)
		buffer_printf(&script, "x%d.test CNAME x%d.test %s\n", i, i + 1, bare);
	buffer_append_text(&script, "x9.test A 203.0.113.5\n");
	world_serve_here(&world, buffer_string(&script));
	expect("x0.test x1.test", "x0.test: malformed answer, x1.test: found 203.0.113.5");
	buffer_free(&script);
}
END_TEST

/* With the zone's word that there is nothing, the target is not asked for again. */
START_TEST(alias_without_address_is_final)
{
	retry_ms = NEVER_MS;
	world_serve_here(&world, "x.test CNAME y.test bare soa\ny.test A 203.0.113.5\n");
	expect("x.test", "x.test: no address");
	ck_assert_uint_eq(world_asked_like(&world, "y.test"), 0);
}
END_TEST

/* Who sends what is no answer to the question may be anybody: the true answer may still come. */
START_TEST(malformed_answers)
{
	static const struct {
		const char *kind, *status;
	} cases[] = {
		{ "empty", "timeout" },
		{ "short", "timeout" },
		{ "id", "timeout" },
		{ "no-question", "timeout" },
		{ "other-question", "timeout" },
		{ "query", "malformed answer" },
		{ "opcode", "malformed answer" },
		{ "count", "malformed answer" },
		{ "length", "malformed answer" },
		{ "width", "malformed answer" },
		{ "loop", "malformed answer" },
		{ "forward", "malformed answer" },
		{ "label", "malformed answer" },
		{ "name", "malformed answer" },
		{ "alias", "malformed answer" },
	};
	autofree char *script = memory_format("x.test CNAME y.test malformed=%s\n"
					      "y.test ANY 203.0.113.5 2001:db8::5\n",
					      cases[_i].kind);
	autofree char *text = NULL;

	world_serve_here(&world, script);
	text = resolve("x.test", TEST_TIMEOUT_MS, NULL);
	/* c-ares takes an empty datagram for a server that is gone, of which it says no more. */
	if (!strcmp(cases[_i].kind, "empty") && !strcmp(text, "x.test: unreachable"))
		return;
	ck_assert_msg(strstr(text, cases[_i].status), "%s: %s", cases[_i].kind, text);
}
END_TEST

enum { MALFORMED_CASES = 15 };

/* More than fits a datagram, and what a server cuts off, is fetched over TCP. */
START_TEST(truncated_goes_to_tcp)
{
	retry_ms = NEVER_MS;
	world_serve_here(&world,
			 "x.test A 203.0.113.5 203.0.113.6 truncate\nx.test AAAA 2001:db8::1\n");
	expect("x.test", "x.test: found 203.0.113.5 203.0.113.6 2001:db8::1");
	ck_assert_uint_eq(world_asked_like(&world, "x.test A udp"), 1);
	ck_assert_uint_eq(world_asked_like(&world, "x.test A tcp"), 1);
	ck_assert_uint_eq(world_asked_like(&world, "x.test AAAA tcp"), 0);
}
END_TEST

START_TEST(large_answer)
{
	struct buffer script = { 0 };
	char *text;
	size_t count = 0;
	/* 60 records are 1,000 octets and fit a datagram; 1,000 are 16,000. */
	unsigned records = _i ? 1000 : 60;

	retry_ms = NEVER_MS;
	buffer_append_text(&script, "x.test A");
	for (unsigned i = 0; i < records; i++)
		buffer_printf(&script, " 203.%u.%u.1", i / 250, i % 250);
	buffer_append_text(&script, _i ? " truncate\n" : "\n");
	world_serve_here(&world, buffer_string(&script));
	text = resolve("x.test", TEST_TIMEOUT_MS, NULL);
	for (const char *at = text; (at = strstr(at, " 203.")); at++)
		count++;
	ck_assert_uint_eq(count, records);
	ck_assert_uint_eq(world_asked_like(&world, "x.test A tcp"), _i ? 1 : 0);
	free(text);
	buffer_free(&script);
}
END_TEST

/* A server that does not understand EDNS is asked without, whatever it says. */
START_TEST(edns_fallback)
{
	struct policy policy = policy_of_many("n", "test", 200);
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = TEST_TIMEOUT_MS,
	};
	struct resolved resolved;
	struct err err;

	world_serve_here(&world,
			 _i ? "*.test A 203.0.113.5 no-edns\n*.test AAAA 2001:db8::1 no-edns\n"
			    : "*.test ANY 203.0.113.5 no-edns\n");
	ck_assert(resolver_run(&policy, &settings, &resolved, &err));
	ck_assert_uint_eq(resolved.count, 200);
	for (size_t i = 0; i < resolved.count; i++) {
		ck_assert_int_eq(resolved.items[i].status, RESOLVE_FOUND);
		ck_assert_uint_eq(resolved.items[i].found.count, _i ? 2 : 1);
	}
	resolved_free(&resolved);
	policy_done(&policy);
}
END_TEST

/* Only the address that was asked may answer. */
START_TEST(answer_from_elsewhere)
{
	world_serve(&world, "x.test ANY 203.0.113.5 from=1\ny.test A 203.0.113.6\n",
		    (const char *const[]){ "127.0.0.1:53", "127.0.0.2:53", NULL });
	expect("x.test y.test", "x.test: timeout, y.test: found 203.0.113.6");
}
END_TEST

TCase *answers_cases(void)
{
	TCase *cases = tcase_create("answers");

	tcase_add_test(cases, case_C1);
	tcase_add_loop_test(cases, case_C2_ipv4, 0, sizeof(special4) / sizeof(*special4));
	tcase_add_loop_test(cases, case_C2_ipv6, 0, sizeof(special6) / sizeof(*special6));
	tcase_add_test(cases, case_C2_mixed_in_one_answer);
	tcase_add_test(cases, case_C2_listed);
	tcase_add_loop_test(cases, case_C3, 0, C3_FAILURES);
	tcase_add_loop_test(cases, one_family_fails, 0, ONE_FAMILY_CASES);
	tcase_add_test(cases, silent_family_is_given_up);
	tcase_add_loop_test(cases, aliases, 0, ALIAS_CASES);
	tcase_add_loop_test(cases, alias_depth, 0, 2);
	tcase_add_test(cases, alias_without_address_is_final);
	tcase_add_loop_test(cases, malformed_answers, 0, MALFORMED_CASES);
	tcase_add_test(cases, truncated_goes_to_tcp);
	tcase_add_loop_test(cases, large_answer, 0, 2);
	tcase_add_loop_test(cases, edns_fallback, 0, 2);
	tcase_add_test(cases, answer_from_elsewhere);
	return cases;
}
