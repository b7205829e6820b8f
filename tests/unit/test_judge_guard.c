/* test_judge_guard.c: what the filter may send and may not, and what its clients may, as packets. */
#include "packet_sketch.h"

#include "plan/ruleset_build.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>

enum { FILTER = FILTER_UID_DEFAULT };

static const struct {
	const char *what;
	const char *ruleset; /* of the fixtures */
	struct sketch packet;
	enum judgement expected;
	bool marked; /* afterwards */
} ways[] = {
	/* Who is not it. */
	{ "a confined user who answers in its place",
	  "filter",
	  { USER, TCP, "127.0.0.1", 40001, SYN | ACK, TO_LO | FROM_3128 },
	  JUDGED_RESET,
	  false },
	{ "the same later",
	  "filter",
	  { USER, TCP, "127.0.0.1", 40001, ACK, TO_LO | FROM_3128 },
	  JUDGED_RESET,
	  false },
	{ "the same over IPv6",
	  "filter",
	  { USER, TCP, "::1", 40001, SYN | ACK, TO_LO | FROM_3128 },
	  JUDGED_RESET,
	  false },
	{ "under a list of loopback ports",
	  "filter-loopback",
	  { USER, TCP, "127.0.0.1", 40001, ACK, TO_LO | FROM_3128 | REPLY },
	  JUDGED_RESET,
	  false },
	{ "a confined user's own server beside it",
	  "filter",
	  { USER, TCP, "127.0.0.1", 40001, SYN | ACK, TO_LO | FROM_8080 },
	  JUDGED_ACCEPT,
	  false },
	/* Its clients. */
	{ "a confined user at the filter",
	  "filter",
	  { USER, TCP, "127.0.0.1", 3128, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "a confined user outside",
	  "filter",
	  { USER, TCP, "203.0.113.5", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a confined user at a listed prefix",
	  "filter",
	  { USER, TCP, "10.1.0.1", 9005, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a confined user at a lane",
	  "filter",
	  { USER, TCP, "192.168.7.7", 8443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a confined user at a nameserver",
	  "filter",
	  { USER, UDP, "203.0.113.53", 53, 0, 0 },
	  JUDGED_PROHIBITED,
	  false },
	{ "a confined user at the engine's resolver",
	  "filter",
	  { USER, UDP, "127.0.0.11", 34567, 0, TO_LO | FROM_53 },
	  JUDGED_PROHIBITED,
	  false },
	{ "with a list of ports, the filter's",
	  "filter-pass",
	  { USER, TCP, "127.0.0.1", 3128, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "with a list of ports, the filter's, IPv6",
	  "filter-loopback",
	  { USER, TCP, "::1", 3128, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "with a list of ports, the same port elsewhere",
	  "filter-loopback",
	  { USER, TCP, "127.0.0.2", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "with a list of ports, the same over UDP",
	  "filter-loopback",
	  { USER, UDP, "127.0.0.1", 3128, 0, TO_LO },
	  JUDGED_PROHIBITED,
	  false },
	{ "with a list of ports, a listed one",
	  "filter-pass",
	  { USER, TCP, "127.0.0.1", 8081, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "with a list of ports, a lane on loopback",
	  "filter-pass",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "with a list of ports, a lane on loopback, IPv6",
	  "filter-loopback",
	  { USER, TCP, "::1", 8080, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "with a list of ports, the lane's port elsewhere",
	  "filter-loopback",
	  { USER, TCP, "127.0.0.1", 8080, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "with a list of ports, another one",
	  "filter-pass",
	  { USER, TCP, "127.0.0.1", 8082, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	/* Who may use it. */
	{ "a confined user's subordinate at the filter",
	  "filter",
	  { SUBORDINATE, TCP, "::1", 3128, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "root at the filter", "filter", { 0, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_ACCEPT, false },
	{ "root at the filter, IPv6", "filter", { 0, TCP, "::1", 3128, ACK, TO_LO }, JUDGED_ACCEPT, false },
	{ "somebody else at the filter",
	  "filter",
	  { OTHER, TCP, "127.0.0.1", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, IPv6",
	  "filter",
	  { OTHER, TCP, "::1", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, from another address",
	  "filter",
	  { OTHER, TCP, "::1", 3128, SYN, TO_LO | LOCAL },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, with a list of ports",
	  "filter-loopback",
	  { OTHER, TCP, "127.0.0.1", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, without marks",
	  "filter-pass",
	  { OTHER, TCP, "::1", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, on a marked connection from before",
	  "filter",
	  { OTHER, TCP, "127.0.0.1", 3128, ACK, TO_LO | MARKED },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter's port elsewhere",
	  "filter",
	  { OTHER, TCP, "127.0.0.2", 3128, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "somebody else at the filter's port over UDP",
	  "filter",
	  { OTHER, UDP, "127.0.0.1", 3128, 0, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "somebody else on another port",
	  "filter",
	  { OTHER, TCP, "127.0.0.1", 3129, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "somebody else whom nat has redirected to the filter",
	  "filter",
	  { OTHER, TCP, "127.0.0.1", 3128, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a confined user whom nat has redirected there",
	  "filter",
	  { 1500, TCP, "::1", 3128, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "the filter at itself", "filter", { FILTER, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET, false },
	{ "what a closed client left behind",
	  "filter",
	  { NOBODY, TCP, "127.0.0.1", 3128, FIN | ACK, TO_LO | LOCAL },
	  JUDGED_ACCEPT,
	  false },
	{ "a beginning without an owner",
	  "filter",
	  { NOBODY, TCP, "127.0.0.1", 3128, SYN, TO_LO | LOCAL },
	  JUDGED_RESET,
	  false },
	{ "a beginning without an owner, without marks",
	  "filter-pass",
	  { NOBODY, TCP, "::1", 3128, SYN, TO_LO | LOCAL },
	  JUDGED_RESET,
	  false },
	{ "somebody else at the filter, narrowed to IPv6",
	  "filter-narrowed-ip6",
	  { OTHER, TCP, "::1", 3128, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	/* The filter on loopback. */
	{ "its answer",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 40001, SYN | ACK, TO_LO | FROM_3128 | REPLY },
	  JUDGED_ACCEPT,
	  false },
	{ "its answer, IPv6, data",
	  "filter",
	  { FILTER, TCP, "::1", 40001, ACK, TO_LO | FROM_3128 | REPLY },
	  JUDGED_ACCEPT,
	  false },
	{ "its answer, untracked",
	  "filter-pass",
	  { FILTER, TCP, "127.0.0.1", 40001, ACK, TO_LO | FROM_3128 | UNTRACKED },
	  JUDGED_ACCEPT,
	  false },
	{ "a beginning from its port",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 8081, SYN, TO_LO | FROM_3128 },
	  JUDGED_RESET,
	  false },
	{ "an answer from another port",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 40001, ACK, TO_LO | FROM_8080 | REPLY },
	  JUDGED_RESET,
	  false },
	{ "an answer from its port outside",
	  "filter",
	  { FILTER, TCP, "203.0.113.5", 40001, ACK, FROM_3128 | REPLY },
	  JUDGED_RESET,
	  false },
	{ "a datagram from its port",
	  "filter",
	  { FILTER, UDP, "127.0.0.1", 40001, 0, TO_LO | FROM_3128 | REPLY },
	  JUDGED_PROHIBITED,
	  false },
	{ "another service",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 8081, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "another service, on a port of the policy",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 443, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "another service, IPv6",
	  "filter",
	  { FILTER, TCP, "::1", 443, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "an own address that is ordinary",
	  "filter",
	  { FILTER, TCP, "203.0.113.2", 443, SYN, TO_LO | LOCAL },
	  JUDGED_RESET,
	  false },
	{ "ping of loopback",
	  "filter",
	  { FILTER, ICMP, "127.0.0.1", 0, 8, TO_LO },
	  JUDGED_PROHIBITED,
	  false },
	{ "a lane on loopback",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 8080, SYN, TO_LO },
	  JUDGED_ACCEPT,
	  true },
	{ "nat turned outside into loopback",
	  "filter",
	  { FILTER, TCP, "127.0.0.1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "nat turned loopback into outside",
	  "filter",
	  { FILTER, TCP, "203.0.113.5", 443, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	/* Its nameservers. */
	{ "the engine's resolver after nat",
	  "filter",
	  { FILTER, UDP, "127.0.0.11", 34567, 0, TO_LO | FROM_53 },
	  JUDGED_ACCEPT,
	  false },
	{ "the engine's resolver after nat, TCP",
	  "filter",
	  { FILTER, TCP, "127.0.0.11", 34567, SYN, TO_LO | FROM_53 },
	  JUDGED_ACCEPT,
	  false },
	{ "the engine's resolver without nat",
	  "filter",
	  { FILTER, UDP, "127.0.0.11", 53, 0, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "another port of its address",
	  "filter",
	  { FILTER, TCP, "127.0.0.11", 8081, SYN, TO_LO },
	  JUDGED_RESET,
	  false },
	{ "the real port of the resolver",
	  "filter",
	  { FILTER, UDP, "127.0.0.11", 34567, 0, TO_LO },
	  JUDGED_PROHIBITED,
	  false },
	{ "a resolver that is not its own",
	  "filter",
	  { FILTER, UDP, "127.0.0.53", 53, 0, TO_LO },
	  JUDGED_PROHIBITED,
	  false },
	{ "another resolver's stub",
	  "filter-loopback",
	  { FILTER, UDP, "127.0.0.53", 53, 0, TO_LO },
	  JUDGED_ACCEPT,
	  false },
	{ "a nameserver",
	  "filter",
	  { FILTER, UDP, "203.0.113.53", 53, 0, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "a private nameserver, TCP",
	  "filter",
	  { FILTER, TCP, "10.0.0.53", 53, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "a nameserver, IPv6",
	  "filter",
	  { FILTER, UDP, "2001:db8::53", 53, 0, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "a nameserver on another port",
	  "filter",
	  { FILTER, UDP, "203.0.113.53", 853, 0, 0 },
	  JUDGED_PROHIBITED,
	  false },
	{ "somebody else's nameserver",
	  "filter",
	  { FILTER, UDP, "203.0.113.54", 53, 0, 0 },
	  JUDGED_PROHIBITED,
	  false },
	{ "a nameserver that nat made",
	  "filter",
	  { FILTER, UDP, "203.0.113.54", 5353, 0, FROM_53 },
	  JUDGED_PROHIBITED,
	  false },
	/* Outside. */
	{ "an ordinary address",
	  "filter",
	  { FILTER, TCP, "203.0.113.200", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "an ordinary address, IPv6",
	  "filter",
	  { FILTER, TCP, "2001:4860:4860::8888", 80, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "on the ports of a wildcard",
	  "filter",
	  { FILTER, TCP, "203.0.113.200", 8010, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "on the port of a lane",
	  "filter",
	  { FILTER, TCP, "203.0.113.200", 8443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "on a port that no name has",
	  "filter",
	  { FILTER, TCP, "203.0.113.200", 22, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "over UDP",
	  "filter",
	  { FILTER, UDP, "203.0.113.200", 443, 0, 0 },
	  JUDGED_PROHIBITED,
	  false },
	{ "ping",
	  "filter",
	  { FILTER, ICMP6, "2001:4860:4860::8888", 0, 128, 0 },
	  JUDGED_PROHIBITED,
	  false },
	{ "private", "filter", { FILTER, TCP, "10.0.0.1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "metadata",
	  "filter",
	  { FILTER, TCP, "169.254.169.254", 80, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "shared", "filter", { FILTER, TCP, "100.64.0.1", 80, SYN, 0 }, JUDGED_RESET, false },
	{ "v4-mapped",
	  "filter",
	  { FILTER, TCP, "::ffff:203.0.113.5", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "private, by NAT64",
	  "filter",
	  { FILTER, TCP, "64:ff9b::10.0.0.1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "ordinary, by NAT64",
	  "filter",
	  { FILTER, TCP, "64:ff9b::203.0.113.5", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "private, by 6to4",
	  "filter",
	  { FILTER, TCP, "2002:0a00:0001::1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "unique-local", "filter", { FILTER, TCP, "fd00::1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "link-local", "filter", { FILTER, TCP, "fe80::1", 443, SYN, 0 }, JUDGED_RESET, false },
	{ "outside of what is given out",
	  "filter",
	  { FILTER, TCP, "4000::1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a listed prefix",
	  "filter",
	  { FILTER, TCP, "10.1.255.255", 9005, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "a listed prefix on a port for names",
	  "filter",
	  { FILTER, TCP, "10.1.0.1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "a listed prefix, IPv6",
	  "filter",
	  { FILTER, TCP, "2001:db8:5::1", 22, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "a private lane",
	  "filter",
	  { FILTER, TCP, "192.168.7.7", 8443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "beside a private lane",
	  "filter",
	  { FILTER, TCP, "192.168.7.8", 8443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "allowed private",
	  "filter-pass",
	  { FILTER, TCP, "172.16.1.1", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  false },
	{ "allowed private, IPv6",
	  "filter-pass",
	  { FILTER, TCP, "fd00::1", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  false },
	{ "beside allowed private",
	  "filter-pass",
	  { FILTER, TCP, "172.17.1.1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "allowed private on another port",
	  "filter-pass",
	  { FILTER, TCP, "172.16.1.1", 9005, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "everything but: any port",
	  "filter-loopback",
	  { FILTER, TCP, "203.0.113.5", 22, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "everything but: not private",
	  "filter-loopback",
	  { FILTER, TCP, "192.168.0.1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "nothing",
	  "filter-nothing",
	  { FILTER, TCP, "203.0.113.5", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "nothing, the nameserver",
	  "filter-nothing",
	  { FILTER, UDP, "203.0.113.53", 53, 0, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "on a connection that somebody marked",
	  "filter",
	  { FILTER, TCP, "10.0.0.1", 443, ACK, MARKED },
	  JUDGED_RESET,
	  false },
	{ "what it left behind",
	  "filter",
	  { NOBODY, TCP, "203.0.113.5", 443, FIN | ACK, MARKED },
	  JUDGED_ACCEPT,
	  true },
	{ "the uid beside",
	  "filter",
	  { FILTER - 1, TCP, "10.0.0.1", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
	{ "narrowed to IPv6",
	  "filter-narrowed-ip6",
	  { FILTER, TCP, "fd00::1", 443, SYN, 0 },
	  JUDGED_RESET,
	  false },
	{ "narrowed to IPv6, ordinary",
	  "filter-narrowed-ip6",
	  { FILTER, TCP, "2001:db8:1::1", 443, SYN, 0 },
	  JUDGED_ACCEPT,
	  true },
};

START_TEST(a_packet_is_judged)
{
	struct ruleset ruleset = fixture_named(ways[_i].ruleset);
	struct packet packet = draw(&ways[_i].packet);
	uint32_t mark;
	enum judgement judgement = judge_sent(&ruleset, &packet, &mark);

	ck_assert_msg(judgement == ways[_i].expected, "%s: %s", ways[_i].what,
		      judgement_name(judgement));
	ck_assert_msg(mark == (0x7 | (ways[_i].marked ? OWNED_MARK : 0)), "%s: %x", ways[_i].what,
		      mark);
	ruleset_free(&ruleset);
}
END_TEST

/* Who is closed in has loopback, but not the standing policy's filter. */
static void expect_no_client(const struct ruleset *closed, const char *to)
{
	const struct sketch sketch = { 1600, TCP, to, 3128, SYN, TO_LO },
			    beside = { 1600, TCP, to, 3129, SYN, TO_LO };
	struct packet packet = draw(&sketch);
	uint32_t mark;

	ck_assert_int_eq(judge_sent(closed, &packet, &mark), JUDGED_RESET);
	packet = draw(&beside);
	ck_assert_int_eq(judge_sent(closed, &packet, &mark), JUDGED_ACCEPT);
}

/* Closing others in, or letting them go, must not let the filter loose. */
START_TEST(a_closed_table_still_holds_the_filter)
{
	struct ruleset ruleset = fixture_named("filter"), deny_all, closed;
	struct fixture fixture;
	struct rangeset closing = { 0 };

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture_filter(&fixture, "203.0.113.53");
	fixture.deny_all = true;
	rangeset_free(&fixture.confined);
	rangeset_add(&fixture.confined, 1600, 1600);
	deny_all = fixture_ruleset(&fixture);
	ck_assert_ptr_null(ruleset_find_chain(&deny_all, "guard"));
	rangeset_add(&closing, 1600, 1600);
	ruleset_close(&ruleset, &deny_all, &closing, &closed);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct packet packet = draw(&ways[i].packet);
		uint32_t one, other;

		ck_assert_msg(judge_sent(&ruleset, &packet, &one) ==
				      judge_sent(&closed, &packet, &other),
			      "%s", ways[i].what);
		ck_assert_uint_eq(one, other);
	}
	expect_no_client(&closed, "127.0.0.1");
	expect_no_client(&closed, "::1");
	rangeset_free(&closing);
	fixture_free(&fixture);
	ruleset_free(&closed);
	ruleset_free(&deny_all);
	ruleset_free(&ruleset);
}
END_TEST

/* Until the rules come that know of a filter, what stands is as it was, and nobody but root has it. */
START_TEST(a_filter_is_shut_until_its_rules_come)
{
	static const struct {
		struct sketch packet;
		enum judgement expected;
	} shut[] = {
		{ { 1500, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { 1500, TCP, "::1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { 1500, TCP, "127.0.0.1", 3128, ACK, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { NOBODY, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { NOBODY, TCP, "127.0.0.1", 3128, FIN | ACK, TO_LO }, JUDGED_ACCEPT },
		{ { 0, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { 0, TCP, "::1", 3128, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { FILTER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_RESET },
		{ { FILTER, UDP, "203.0.113.53", 53, 0, 0 }, JUDGED_PROHIBITED },
		{ { FILTER, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_RESET },
		{ { FILTER, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
	};
	static const char *const others[] = { "127.0.0.1", "::1", "203.0.113.5", "2001:db8:1::5" };
	struct fixture fixture;
	struct ruleset standing, changed;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture_filter(&fixture, "203.0.113.53");
	fixture.deny_all = true;
	standing = fixture_ruleset(&fixture);
	ruleset_shut_filter(&standing, &fixture.filter, &changed);
	for (size_t i = 0; i < sizeof(shut) / sizeof(*shut); i++) {
		struct packet packet = draw(&shut[i].packet);
		uint32_t mark;

		ck_assert_msg(judge_sent(&changed, &packet, &mark) == shut[i].expected, "%zu", i);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		for (uint32_t uid = 1400; uid <= 1600; uid += 100) {
			const struct sketch sketch = { uid, TCP, others[i], 443, SYN,
						       i < 2 ? TO_LO : 0 };
			struct packet packet = draw(&sketch);
			uint32_t one, other;

			ck_assert_msg(judge_sent(&standing, &packet, &one) ==
					      judge_sent(&changed, &packet, &other),
				      "uid %u to %s", uid, others[i]);
			ck_assert_uint_eq(one, other);
		}
	fixture_free(&fixture);
	ruleset_free(&standing);
	ruleset_free(&changed);
}
END_TEST

/* Where another filter stands: its users have that, until it ends, and not the one that takes its place. */
START_TEST(a_filter_is_shut_to_the_users_of_another)
{
	static const struct {
		struct sketch packet;
		enum judgement expected;
	} moved[] = {
		{ { 1500, TCP, "127.0.0.1", 3200, SYN, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 3200, SYN, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 3200, ACK, TO_LO }, JUDGED_RESET },
		{ { NOBODY, TCP, "127.0.0.1", 3200, SYN, TO_LO }, JUDGED_RESET },
		{ { 0, TCP, "127.0.0.1", 3200, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { 1500, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { 1700, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 3201, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { FILTER, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_ACCEPT },
		{ { 1600, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_RESET },
	}, closed_in[] = {
		{ { 1700, TCP, "127.0.0.1", 3201, SYN, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 3128, SYN, TO_LO }, JUDGED_RESET },
		{ { 1700, TCP, "127.0.0.1", 8080, SYN, TO_LO }, JUDGED_ACCEPT },
		{ { 1700, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_RESET },
		{ { 1600, TCP, "203.0.113.5", 443, SYN, 0 }, JUDGED_RESET },
	};
	struct ruleset standing = fixture_named("filter"), shut, again, back, deny_all, closed;
	struct rangeset closing = { 0 };
	struct fixture fixture;
	struct packet packet;
	uint32_t mark;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture_filter(&fixture, "203.0.113.53");
	fixture.filter.listen.items[0].port = 3200;
	fixture.filter.uid = 1600;
	ruleset_shut_filter(&standing, &fixture.filter, &shut);
	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		packet = draw(&moved[i].packet);
		ck_assert_msg(judge_sent(&shut, &packet, &mark) == moved[i].expected, "%zu", i);
	}
	/* Once more, and for another one, takes the place of the first. */
	ruleset_shut_filter(&shut, &fixture.filter, &again);
	ck_assert_str_eq(shut.comment, again.comment);
	fixture.filter.listen.items[0].port = 3201;
	ruleset_shut_filter(&again, &fixture.filter, &back);
	packet = draw(&(struct sketch){ 1500, TCP, "127.0.0.1", 3200, SYN, TO_LO });
	ck_assert(judge_sent(&back, &packet, &mark) == JUDGED_ACCEPT);
	packet = draw(&(struct sketch){ 1500, TCP, "127.0.0.1", 3201, SYN, TO_LO });
	ck_assert(judge_sent(&back, &packet, &mark) == JUDGED_RESET);
	/* An apply that broke off left it so, and the next one closes somebody in besides: not to a filter. */
	rangeset_add(&closing, 1700, 1700);
	fixture.deny_all = true;
	deny_all = fixture_ruleset(&fixture);
	ruleset_close(&back, &deny_all, &closing, &closed);
	for (size_t i = 0; i < sizeof(closed_in) / sizeof(*closed_in); i++) {
		packet = draw(&closed_in[i].packet);
		ck_assert_msg(judge_sent(&closed, &packet, &mark) == closed_in[i].expected, "closed in: %zu", i);
	}
	rangeset_free(&closing);
	ruleset_free(&deny_all);
	ruleset_free(&closed);
	fixture_free(&fixture);
	ruleset_free(&standing);
	ruleset_free(&shut);
	ruleset_free(&again);
	ruleset_free(&back);
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("packets");

	tcase_add_loop_test(cases, a_packet_is_judged, 0, sizeof(ways) / sizeof(*ways));
	tcase_add_test(cases, a_closed_table_still_holds_the_filter);
	tcase_add_test(cases, a_filter_is_shut_until_its_rules_come);
	tcase_add_test(cases, a_filter_is_shut_to_the_users_of_another);
	return suite_end("guard", cases);
}
