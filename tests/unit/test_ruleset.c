/* test_ruleset.c: statements and sets as text, equality, and what the digest notices. */
#include "ruleset_fixture.h"
#include "statement_terms.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_print.h"
#include "suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct statement statement;
	const char *text;
} const statements[] = {
	{ NAMED(MATCH_USER_IN, "confined"), "meta skuid @confined" },
	{ { .kind = MATCH_USER, .users = { 1500, 1500 } }, "meta skuid 1500" },
	{ { .kind = MATCH_USER, .users = { 1500, 1501 } }, "meta skuid 1500-1501" },
	{ { .kind = MATCH_USER, .users = { 1499, 1501 } }, "meta skuid 1499-1501" },
	{ { .kind = MATCH_USER, .users = { 1, 4294967294 } }, "meta skuid 1-4294967294" },
	{ { .kind = MATCH_OWNED }, "meta skuid 0-4294967295" },
	{ { .kind = MATCH_OUT_LOOPBACK }, "oifname \"lo\"" },
	{ { .kind = MATCH_OUT_LOOPBACK, .negate = true }, "oifname != \"lo\"" },
	{ { .kind = MATCH_IN_LOOPBACK }, "iifname \"lo\"" },
	{ { .kind = MATCH_IN_LOOPBACK, .negate = true }, "iifname != \"lo\"" },
	{ PREFIX(FAMILY_IPV4, 8, 127), "ip daddr 127.0.0.0/8" },
	{ PREFIX(FAMILY_IPV4, 32, 127, 0, 0, 11), "ip daddr 127.0.0.11" },
	{ PREFIX(FAMILY_IPV6, 128, [15] = 1), "ip6 daddr ::1" },
	{ PREFIX(FAMILY_IPV6, 10, 0xfe, 0x80), "ip6 daddr fe80::/10" },
	{ NAMED(MATCH_DESTINATION_IN, "pin4_1"), "ip daddr @pin4_1" },
	{ { .kind = MATCH_DESTINATION_IN, .name = "net6_2", .family = FAMILY_IPV6 },
	  "ip6 daddr @net6_2" },
	{ { .kind = MATCH_DESTINATION_LOCAL }, "fib daddr type local" },
	{ BYTES(MATCH_PROTOCOL, 6), "meta l4proto tcp" },
	{ BYTES(MATCH_PROTOCOL, 6, 17), "meta l4proto { tcp, udp }" },
	{ BYTES(MATCH_PROTOCOL, 1, 58), "meta l4proto { icmp, ipv6-icmp }" },
	{ BYTES(MATCH_PROTOCOL, 253), "meta l4proto 253" },
	{ PORTS({ 443, 443 }), "tcp dport 443" },
	{ PORTS({ 8000, 8010 }), "tcp dport 8000-8010" },
	{ PORTS({ 80, 80 }, { 443, 443 }, { 8000, 8010 }), "tcp dport { 80, 443, 8000-8010 }" },
	{ { .kind = MATCH_TCP_FLAGS, .flags = { 0x12, 0x12 } },
	  "tcp flags & (syn | ack) == (syn | ack)" },
	{ { .kind = MATCH_TCP_FLAGS, .negate = true, .flags = { 0x12, 0x02 } },
	  "tcp flags & (syn | ack) != syn" },
	{ { .kind = MATCH_TCP_FLAGS, .flags = { 0x04, 0 } }, "tcp flags & (rst) == 0x0" },
	{ BYTES(MATCH_ICMP_TYPE, 8), "icmp type echo-request" },
	{ BYTES(MATCH_ICMP_TYPE, 0, 3, 11, 12, 77),
	  "icmp type { echo-reply, destination-unreachable, time-exceeded, parameter-problem, 77 "
	  "}" },
	{ BYTES(MATCH_ICMPV6_TYPE, 2, 135, 143),
	  "icmpv6 type { packet-too-big, nd-neighbor-solicit, mld2-listener-report }" },
	{ BYTES(MATCH_IP_PROTOCOL, 2), "ip protocol igmp" },
	{ { .kind = MATCH_CT_MARK }, "ct mark and 0x40000000 == 0x40000000" },
	{ { .kind = MATCH_CT_MARK, .negate = true }, "ct mark and 0x40000000 == 0x00000000" },
	{ { .kind = MATCH_SOURCE, .prefix = { { FAMILY_IPV4, { 127 } }, 8 } }, "ip saddr 127.0.0.0/8" },
	{ { .kind = MATCH_SOURCE, .prefix = { { FAMILY_IPV6, { [15] = 1 } }, 128 } }, "ip6 saddr ::1" },
	{ { .kind = MATCH_SOURCE_LOCAL }, "fib saddr type local" },
	{ { .kind = MATCH_SOURCE_LOCAL, .negate = true }, "fib saddr type != local" },
	{ SOURCE_PORTS({ 8080, 8080 }), "tcp sport 8080" },
	{ SOURCE_PORTS({ 80, 80 }, { 8080, 8081 }), "tcp sport { 80, 8080-8081 }" },
	{ { .kind = MATCH_GROUP_REPORT, .records = 1 },
	  "icmpv6 type mld2-listener-report @th,48,16 1 @th,72,128 0xff0200000000000000000001ff" },
	{ { .kind = MATCH_GROUP_REPORT, .records = 2 },
	  "icmpv6 type mld2-listener-report @th,48,16 2 @th,72,128 0xff0200000000000000000001ff "
	  "@th,232,128 0xff0200000000000000000001ff" },
	{ { .kind = MATCH_CT_PUBLISHED }, "ct mark and 0x20000000 == 0x20000000" },
	{ { .kind = MATCH_CT_PUBLISHED, .negate = true }, "ct mark and 0x20000000 == 0x00000000" },
	{ { .kind = MATCH_CT_FIRST }, "ct status and confirmed == 0" },
	{ { .kind = SET_CT_PUBLISHED }, "ct mark set ct mark or 0x20000000" },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { (struct range[]){ { 53, 53 } }, 1 } },
	  "ct original proto-dst 53" },
	{ { .kind = MATCH_CT_REPLY }, "ct direction reply" },
	{ { .kind = MATCH_CT_REPLY, .negate = true }, "ct direction original" },
	{ { .kind = SET_CT_MARK }, "ct mark set ct mark or 0x40000000" },
	{ { .kind = CLEAR_CT_MARK }, "ct mark set ct mark and 0xbfffffff" },
	{ { .kind = COUNT, .counter = { 7, 420 } }, "counter" },
	{ { .kind = LOG }, "log group 9 prefix \"egressfw \"" },
	{ { .kind = ACCEPT }, "accept" },
	{ { .kind = DROP }, "drop" },
	{ NAMED(GOTO, "refuse"), "goto refuse" },
	{ { .kind = REJECT_RESET }, "reject with tcp reset" },
	{ { .kind = REJECT_PROHIBITED }, "reject with icmpx admin-prohibited" },
	{ NAMED(FOREIGN, "masq"), "<not ours: masq>" },
};
enum { STATEMENTS = sizeof(statements) / sizeof(*statements) };

static char *text_of(const struct statement *statement, enum table_family family)
{
	struct buffer text = { 0 };

	statement_print(statement, family, &text);
	return buffer_steal(&text);
}

START_TEST(a_statement_prints_as_its_nft_text)
{
	autofree char *text = text_of(&statements[_i].statement, TABLE_INET);

	ck_assert_str_eq(text, statements[_i].text);
}
END_TEST

START_TEST(every_kind_of_statement_is_in_the_table)
{
	bool seen[STATEMENT_KINDS] = { false };

	for (size_t i = 0; i < STATEMENTS; i++)
		seen[statements[i].statement.kind] = true;
	for (size_t kind = 0; kind < STATEMENT_KINDS; kind++)
		ck_assert_msg(seen[kind], "kind %zu", kind);
}
END_TEST

START_TEST(a_statement_is_equal_to_itself_alone)
{
	for (size_t i = 0; i < STATEMENTS; i++) {
		const struct statement *one = &statements[_i].statement,
				       *other = &statements[i].statement;
		bool expected = (size_t)_i == i && one->kind != FOREIGN;

		ck_assert_msg(statement_equal(one, other) == expected, "%s, %s",
			      statements[_i].text, statements[i].text);
	}
}
END_TEST

START_TEST(counters_are_not_compared)
{
	struct statement one = { .kind = COUNT }, other = { .kind = COUNT, .counter = { 1, 60 } };

	ck_assert(statement_equal(&one, &other));
}
END_TEST

START_TEST(verdicts_are_what_ends_a_rule)
{
	static const enum statement_kind verdicts[] = { ACCEPT, DROP, GOTO, REJECT_RESET,
							REJECT_PROHIBITED };

	for (enum statement_kind kind = 0; kind < STATEMENT_KINDS; kind++) {
		bool expected = false;

		for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++)
			expected |= verdicts[i] == kind;
		ck_assert(statement_is_verdict(kind) == expected);
	}
}
END_TEST

START_TEST(a_refusal_has_the_code_of_its_table)
{
	static const struct statement refusal = { .kind = REJECT_PROHIBITED };
	autofree char *ip = text_of(&refusal, TABLE_IP), *ip6 = text_of(&refusal, TABLE_IP6);

	ck_assert_str_eq(ip, "reject with icmp admin-prohibited");
	ck_assert_str_eq(ip6, "reject with icmpv6 admin-prohibited");
}
END_TEST

START_TEST(ports_behind_named_protocols_are_of_any_transport)
{
	struct statement parts[] = { BYTES(MATCH_PROTOCOL, 6, 17),
				     PORTS({ 53, 53 }),
				     { .kind = ACCEPT } };
	struct rule rule = { .statements = parts, .count = 3 };
	struct buffer text = { 0 };

	rule_print(&rule, TABLE_INET, &text);
	ck_assert_str_eq(buffer_string(&text), "meta l4proto { tcp, udp } th dport 53 accept");
	buffer_free(&text);
}
END_TEST

static const struct {
	enum set_type type;
	const char *first, *last; /* addresses, or numbers in hexadecimal */
	const char *text;
} elements[] = {
	{ SET_UID, "000005dc", "000005dc", "1500" },
	{ SET_UID, "000186a0", "0002869f", "100000-165535" },
	{ SET_UID, "00000000", "ffffffff", "0-4294967295" },
	{ SET_PORT, "01bb", "01bb", "443" },
	{ SET_PORT, "1f40", "1f4a", "8000-8010" },
	{ SET_IPV4, "203.0.113.5", "203.0.113.5", "203.0.113.5" },
	{ SET_IPV4, "198.51.100.0", "198.51.100.255", "198.51.100.0/24" },
	{ SET_IPV4, "0.0.0.0", "255.255.255.255", "0.0.0.0/0" },
	{ SET_IPV4, "198.51.100.1", "198.51.100.2", "198.51.100.1-198.51.100.2" },
	{ SET_IPV4, "198.51.100.2", "198.51.100.3", "198.51.100.2/31" },
	{ SET_IPV4, "198.51.100.0", "198.51.100.254", "198.51.100.0-198.51.100.254" },
	{ SET_IPV4, "198.51.100.128", "198.51.101.127", "198.51.100.128-198.51.101.127" },
	{ SET_IPV6, "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::/32" },
	{ SET_IPV6, "2001:db8::1", "2001:db8::1", "2001:db8::1" },
	{ SET_IPV6, "2001:db8::1", "2001:db8::2", "2001:db8::1-2001:db8::2" },
};

static void read_key(enum set_type type, const char *text, uint8_t key[KEY_WIDTH_MAX])
{
	struct address address;

	if (type == SET_IPV4 || type == SET_IPV6) {
		address = fixture_address(text);
		memcpy(key, address.bytes, sizeof(address.bytes));
		return;
	}
	for (size_t i = 0; i < set_type_width(type); i++)
		ck_assert_int_eq(sscanf(text + 2 * i, "%2hhx", &key[i]), 1);
}

START_TEST(an_element_prints_as_nft_reads_it)
{
	struct ruleset ruleset = { 0 };
	struct set *set = ruleset_add_set(&ruleset, "set", elements[_i].type, true);
	uint8_t first[KEY_WIDTH_MAX], last[KEY_WIDTH_MAX];
	struct buffer text = { 0 };

	read_key(set->type, elements[_i].first, first);
	read_key(set->type, elements[_i].last, last);
	keyset_add_interval(&set->keys, first, last);
	keyset_seal(&set->keys);
	set_print_element(set, 0, &text);
	ck_assert_str_eq(buffer_string(&text), elements[_i].text);
	buffer_free(&text);
	ruleset_free(&ruleset);
}
END_TEST

/* Each changes one thing of the ruleset that the digest must notice. */
static void change_family(struct ruleset *ruleset)
{
	ruleset->family = TABLE_IP;
}
static void change_table(struct ruleset *ruleset)
{
	ruleset->table[0] = 'E';
}
static void change_flags(struct ruleset *ruleset)
{
	ruleset->flags = TABLE_FLAG_DORMANT;
}
static void change_set_name(struct ruleset *ruleset)
{
	ruleset->sets[0].name[0] = 'C';
}
static void change_set_type(struct ruleset *ruleset)
{
	ruleset->sets[1].type = SET_UID;
}
static void change_key(struct ruleset *ruleset)
{
	ruleset->sets[1].keys.first[3]++;
}
static void change_interval(struct ruleset *ruleset)
{
	ruleset->sets[0].keys.last[3]++;
}
static void drop_key(struct ruleset *ruleset)
{
	ruleset->sets[1].keys.count--;
}
static void drop_set(struct ruleset *ruleset)
{
	keyset_free(&ruleset->sets[--ruleset->set_count].keys);
}
static void change_chain_name(struct ruleset *ruleset)
{
	ruleset->chains[1].name[0] = 'C';
}
static void change_hook(struct ruleset *ruleset)
{
	ruleset->chains[0].hook = HOOK_INPUT;
}
static void change_priority(struct ruleset *ruleset)
{
	ruleset->chains[0].priority = -1;
}
static void change_policy(struct ruleset *ruleset)
{
	ruleset->chains[0].policy_drop = true;
}
static void drop_hook(struct ruleset *ruleset)
{
	ruleset->chains[0].base = false;
}
static void add_chain(struct ruleset *ruleset)
{
	ruleset_add_chain(ruleset, "more");
}

static void add_rule(struct ruleset *ruleset)
{
	chain_add_rule(&ruleset->chains[0], &(struct statement){ .kind = ACCEPT }, 1);
}

static void swap_rules(struct ruleset *ruleset)
{
	struct rule first = ruleset->chains[0].rules[0];

	ruleset->chains[0].rules[0] = ruleset->chains[0].rules[1];
	ruleset->chains[0].rules[1] = first;
}

static void (*const changes[])(struct ruleset *) = {
	change_family, change_table,    change_flags,  change_set_name, change_set_type,
	change_key,    change_interval, drop_key,      drop_set,        change_chain_name,
	change_hook,   change_priority, change_policy, drop_hook,       add_chain,
	add_rule,      swap_rules,
};

START_TEST(the_digest_notices_every_change)
{
	struct ruleset ruleset = fixture_named("allowlist");
	char before[65], after[65];

	ruleset_digest(&ruleset, before);
	changes[_i](&ruleset);
	ruleset_digest(&ruleset, after);
	ck_assert_uint_eq(strlen(after), 64);
	ck_assert_str_ne(before, after);
	ruleset_free(&ruleset);
}
END_TEST

static void swap_sets(struct ruleset *ruleset)
{
	struct set first = ruleset->sets[0];

	ruleset->sets[0] = ruleset->sets[1];
	ruleset->sets[1] = first;
}

static void swap_chains(struct ruleset *ruleset)
{
	struct chain first = ruleset->chains[0];

	ruleset->chains[0] = ruleset->chains[1];
	ruleset->chains[1] = first;
}

/* The kernel lists first what it kept of an older table. */
START_TEST(the_digest_does_not_ask_where_sets_and_chains_stand)
{
	struct ruleset ruleset = fixture_named("allowlist");
	char before[65], after[65];

	ruleset_digest(&ruleset, before);
	swap_sets(&ruleset);
	swap_chains(&ruleset);
	ruleset_digest(&ruleset, after);
	ck_assert_str_eq(before, after);
	ruleset_free(&ruleset);
}
END_TEST

/* A ruleset of one rule of this one statement. */
static void digest_of_statement(const struct statement *statement, char digest[65])
{
	struct ruleset ruleset = { 0 };
	struct statement copy = statement_copy(statement);

	chain_add_rule(ruleset_add_chain(&ruleset, "chain"), &copy, 1);
	ruleset_digest(&ruleset, digest);
	ruleset_free(&ruleset);
}

START_TEST(the_digest_tells_statements_apart)
{
	char one[65], other[65];

	digest_of_statement(&statements[_i].statement, one);
	for (size_t i = 0; i < STATEMENTS; i++) {
		digest_of_statement(&statements[i].statement, other);
		ck_assert_msg(((size_t)_i == i) == !strcmp(one, other), "%s, %s",
			      statements[_i].text, statements[i].text);
	}
}
END_TEST

START_TEST(the_digest_is_blind_to_comment_handle_and_counter)
{
	struct ruleset ruleset = fixture_named("allowlist");
	char before[65], after[65];
	struct chain *forward = &ruleset.chains[ruleset.chain_count - 1];

	ruleset_digest(&ruleset, before);
	ck_assert_str_eq(ruleset.comment, before);
	strcpy(ruleset.comment, "another");
	forward->rules[0].handle = 77;
	ck_assert_int_eq(forward->rules[0].statements[1].kind, COUNT);
	forward->rules[0].statements[1].counter.packets = 5;
	ruleset_digest(&ruleset, after);
	ck_assert_str_eq(before, after);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(a_dormant_table_prints_as_one)
{
	struct ruleset ruleset = { .family = TABLE_IP6,
				   .table = "egressfw",
				   .flags = TABLE_FLAG_DORMANT };
	struct buffer text = { 0 };

	ruleset_print(&ruleset, &text);
	ck_assert_str_eq(buffer_string(&text), "table ip6 egressfw {\n\tflags dormant\n\n}\n");
	buffer_free(&text);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("value");

	tcase_add_loop_test(tests, a_statement_prints_as_its_nft_text, 0, STATEMENTS);
	tcase_add_test(tests, every_kind_of_statement_is_in_the_table);
	tcase_add_loop_test(tests, a_statement_is_equal_to_itself_alone, 0, STATEMENTS);
	tcase_add_test(tests, counters_are_not_compared);
	tcase_add_test(tests, verdicts_are_what_ends_a_rule);
	tcase_add_test(tests, a_refusal_has_the_code_of_its_table);
	tcase_add_test(tests, ports_behind_named_protocols_are_of_any_transport);
	tcase_add_loop_test(tests, an_element_prints_as_nft_reads_it, 0,
			    sizeof(elements) / sizeof(*elements));
	tcase_add_loop_test(tests, the_digest_notices_every_change, 0,
			    sizeof(changes) / sizeof(*changes));
	tcase_add_test(tests, the_digest_does_not_ask_where_sets_and_chains_stand);
	tcase_add_loop_test(tests, the_digest_tells_statements_apart, 0, STATEMENTS);
	tcase_add_test(tests, the_digest_is_blind_to_comment_handle_and_counter);
	tcase_add_test(tests, a_dormant_table_prints_as_one);
	return suite_end("ruleset", tests);
}
