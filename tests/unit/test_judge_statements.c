/* test_judge_statements.c: what each statement means to a packet, and how chains are walked. */
#include "packet_sketch.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* One statement in front of a drop, in a chain of the output hook. */
static enum judgement judge_one(const struct statement *statement, const struct packet *packet)
{
	struct statement statements[] = { *statement, { .kind = DROP } };
	struct ruleset ruleset = { 0 };
	struct chain *chain = ruleset_add_chain(&ruleset, "output");
	struct set *set = ruleset_add_set(&ruleset, "set", SET_UID, true);
	uint32_t mark;
	enum judgement judgement;

	keyset_add_interval(&set->keys, (const uint8_t[]){ 0, 0, 5, 220 },
			    (const uint8_t[]){ 0, 0, 5, 221 });
	keyset_seal(&set->keys);
	chain->base = true;
	chain->hook = HOOK_OUTPUT;
	statements[0].ports = rangeset_copy(&statement->ports);
	chain_add_rule(chain, statements, 2);
	judgement = judge_sent(&ruleset, packet, &mark);
	ruleset_free(&ruleset);
	return judgement;
}

static struct range port_range = { 80, 90 }, published = { 8080, 8080 };

#define UDP_TO(p) { USER, UDP, "192.0.2.1", p, 0, 0 }
#define TCP_WITH(f, w) { USER, TCP, "192.0.2.1", 80, f, w }
#define BY(u) { u, TCP, "192.0.2.1", 80, SYN, 0 }

static const struct {
	struct statement statement;
	struct sketch packet;
	bool matches;
} meanings[] = {
	{ { .kind = MATCH_USER_IN, .name = "set" }, BY(1500), true },
	{ { .kind = MATCH_USER_IN, .name = "set" }, BY(1501), true },
	{ { .kind = MATCH_USER_IN, .name = "set" }, BY(1502), false },
	{ { .kind = MATCH_USER_IN, .name = "set" }, BY(NOBODY), false },
	{ { .kind = MATCH_USER_IN, .name = "none" }, BY(1500), false },
	{ { .kind = MATCH_USER, .users = { 1500, 1501 } }, BY(1499), false },
	{ { .kind = MATCH_USER, .users = { 1500, 1501 } }, BY(1500), true },
	{ { .kind = MATCH_USER, .users = { 1500, 1501 } }, BY(1501), true },
	{ { .kind = MATCH_USER, .users = { 1500, 1501 } }, BY(1502), false },
	{ { .kind = MATCH_USER, .users = { 0, 0 } }, BY(0), true },
	{ { .kind = MATCH_USER, .users = { 0, UID_LAST } }, BY(NOBODY), false },
	{ { .kind = MATCH_OWNED }, BY(0), true },
	{ { .kind = MATCH_OWNED }, BY(NOBODY), false },
	{ { .kind = MATCH_OUT_LOOPBACK }, TCP_WITH(SYN, TO_LO), true },
	{ { .kind = MATCH_OUT_LOOPBACK, .negate = true }, TCP_WITH(SYN, TO_LO), false },
	{ { .kind = MATCH_OUT_LOOPBACK, .negate = true }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_IN_LOOPBACK }, TCP_WITH(SYN, 0), false },
	{ { .kind = MATCH_IN_LOOPBACK, .negate = true }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_DESTINATION, .prefix = { { FAMILY_IPV4, { 192, 0, 2 } }, 24 } },
	  BY(0), true },
	{ { .kind = MATCH_DESTINATION, .prefix = { { FAMILY_IPV4, { 192, 0, 3 } }, 24 } },
	  BY(0), false },
	{ { .kind = MATCH_DESTINATION, .prefix = { { FAMILY_IPV6, { 192, 0, 2 } }, 24 } },
	  BY(0), false },
	{ { .kind = MATCH_DESTINATION_IN, .name = "set" }, BY(0), false },
	{ { .kind = MATCH_DESTINATION_LOCAL }, TCP_WITH(SYN, LOCAL), true },
	{ { .kind = MATCH_DESTINATION_LOCAL }, TCP_WITH(SYN, 0), false },
	{ { .kind = MATCH_SOURCE, .prefix = { { FAMILY_IPV4, { 192, 0, 2 } }, 24 } },
	  BY(0), true },
	{ { .kind = MATCH_SOURCE, .prefix = { { FAMILY_IPV4, { 192, 0, 2 } }, 24 } },
	  TCP_WITH(SYN, SPOOFED), false },
	{ { .kind = MATCH_SOURCE, .prefix = { { FAMILY_IPV6, { 192, 0, 2 } }, 24 } },
	  BY(0), false },
	{ { .kind = MATCH_SOURCE_LOCAL }, BY(0), true },
	{ { .kind = MATCH_SOURCE_LOCAL }, TCP_WITH(SYN, SPOOFED), false },
	{ { .kind = MATCH_SOURCE_LOCAL, .negate = true }, BY(0), false },
	{ { .kind = MATCH_SOURCE_LOCAL, .negate = true }, TCP_WITH(SYN, SPOOFED), true },
	{ { .kind = MATCH_PROTOCOL, .bytes = { 2, { TCP, UDP } } }, UDP_TO(1), true },
	{ { .kind = MATCH_PROTOCOL, .bytes = { 1, { TCP } } }, UDP_TO(1), false },
	{ { .kind = MATCH_PORTS, .ports = { &port_range, 1 } }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_PORTS, .ports = { &port_range, 1 } },
	  { USER, TCP, "192.0.2.1", 91, 0, 0 }, false },
	{ { .kind = MATCH_PORTS, .ports = { &port_range, 1 } }, UDP_TO(80), false },
	{ { .kind = MATCH_SOURCE_PORTS, .ports = { &published, 1 } },
	  TCP_WITH(ACK, FROM_8080), true },
	{ { .kind = MATCH_SOURCE_PORTS, .ports = { &published, 1 } }, TCP_WITH(ACK, 0), false },
	{ { .kind = MATCH_SOURCE_PORTS, .ports = { &published, 1 } },
	  { USER, TCP, "192.0.2.1", 8080, ACK, 0 }, false },
	{ { .kind = MATCH_SOURCE_PORTS, .ports = { &published, 1 } },
	  { USER, UDP, "192.0.2.1", 80, 0, FROM_8080 }, false },
	{ { .kind = MATCH_TCP_FLAGS, .flags = { SYN | ACK, SYN } }, TCP_WITH(SYN | RST, 0), true },
	{ { .kind = MATCH_TCP_FLAGS, .flags = { SYN | ACK, SYN } }, TCP_WITH(SYN | ACK, 0), false },
	{ { .kind = MATCH_TCP_FLAGS, .negate = true, .flags = { SYN | ACK, SYN } },
	  TCP_WITH(ACK, 0), true },
	{ { .kind = MATCH_TCP_FLAGS, .negate = true, .flags = { SYN | ACK, SYN } },
	  UDP_TO(80), false },
	{ { .kind = MATCH_ICMP_TYPE, .bytes = { 1, { 8 } } },
	  { 0, ICMP, "192.0.2.1", 0, 8, 0 }, true },
	{ { .kind = MATCH_ICMP_TYPE, .bytes = { 1, { 8 } } },
	  { 0, ICMP, "192.0.2.1", 0, 0, 0 }, false },
	{ { .kind = MATCH_ICMP_TYPE, .bytes = { 1, { 8 } } },
	  { 0, ICMP, "2001:db8::1", 0, 8, 0 }, false },
	{ { .kind = MATCH_ICMPV6_TYPE, .bytes = { 1, { 8 } } },
	  { 0, ICMP6, "2001:db8::1", 0, 8, 0 }, true },
	{ { .kind = MATCH_ICMPV6_TYPE, .bytes = { 1, { 8 } } },
	  { 0, ICMP6, "192.0.2.1", 0, 8, 0 }, false },
	{ { .kind = MATCH_IP_PROTOCOL, .bytes = { 1, { 2 } } },
	  { 0, 2, "192.0.2.1", 0, 0, 0 }, true },
	{ { .kind = MATCH_IP_PROTOCOL, .bytes = { 1, { 2 } } },
	  { 0, 2, "2001:db8::1", 0, 0, 0 }, false },
	{ { .kind = MATCH_CT_MARK }, TCP_WITH(SYN, MARKED), true },
	{ { .kind = MATCH_CT_MARK }, TCP_WITH(SYN, 0), false },
	{ { .kind = MATCH_CT_MARK }, TCP_WITH(SYN, MARKED | UNTRACKED), false },
	{ { .kind = MATCH_CT_MARK, .negate = true }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_CT_MARK, .negate = true }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = MATCH_CT_MARK }, TCP_WITH(SYN, PUBLISHED), false },
	{ { .kind = MATCH_CT_PUBLISHED }, TCP_WITH(SYN, PUBLISHED), true },
	{ { .kind = MATCH_CT_PUBLISHED }, TCP_WITH(SYN, MARKED), false },
	{ { .kind = MATCH_CT_PUBLISHED }, TCP_WITH(SYN, PUBLISHED | UNTRACKED), false },
	{ { .kind = MATCH_CT_PUBLISHED, .negate = true }, TCP_WITH(SYN, MARKED), true },
	{ { .kind = MATCH_CT_PUBLISHED, .negate = true }, TCP_WITH(SYN, PUBLISHED), false },
	{ { .kind = MATCH_CT_PUBLISHED, .negate = true }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = MATCH_CT_FIRST }, TCP_WITH(SYN, FIRST), true },
	{ { .kind = MATCH_CT_FIRST }, TCP_WITH(SYN, 0), false },
	{ { .kind = MATCH_CT_FIRST }, TCP_WITH(SYN, FIRST | UNTRACKED), false },
	{ { .kind = MATCH_CT_REPLY }, TCP_WITH(SYN, REPLY), true },
	{ { .kind = MATCH_CT_REPLY }, TCP_WITH(SYN, 0), false },
	{ { .kind = MATCH_CT_REPLY }, TCP_WITH(SYN, REPLY | UNTRACKED), false },
	{ { .kind = MATCH_CT_REPLY, .negate = true }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_CT_REPLY, .negate = true }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { &port_range, 1 } }, TCP_WITH(SYN, 0), true },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { &port_range, 1 } }, UDP_TO(80), true },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { &port_range, 1 } },
	  TCP_WITH(SYN, FROM_53), false },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { &port_range, 1 } },
	  TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = MATCH_CT_ORIGINAL_PORTS, .ports = { &port_range, 1 } },
	  { USER, ICMP, "192.0.2.1", 80, 8, 0 }, false },
	{ { .kind = SET_CT_MARK }, TCP_WITH(SYN, 0), true },
	{ { .kind = SET_CT_MARK }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = CLEAR_CT_MARK }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = SET_CT_PUBLISHED }, TCP_WITH(SYN, 0), true },
	{ { .kind = SET_CT_PUBLISHED }, TCP_WITH(SYN, UNTRACKED), false },
	{ { .kind = COUNT }, BY(0), true },
	{ { .kind = LOG }, BY(0), true },
	{ { .kind = FOREIGN }, BY(0), false },
};

START_TEST(a_statement_matches_what_it_says)
{
	struct packet packet = draw(&meanings[_i].packet);

	ck_assert_int_eq(judge_one(&meanings[_i].statement, &packet),
			 meanings[_i].matches ? JUDGED_DROP : JUDGED_ACCEPT);
}
END_TEST

/* A report names its groups in records; all of them have to be of solicited nodes. */
START_TEST(a_group_report_has_so_many_records)
{
	static const struct statement two = { .kind = MATCH_GROUP_REPORT, .records = 2 };
	struct packet packet = draw(&(struct sketch){ NOBODY, ICMP6, "ff02::16", 0, 143, 0 });

	ck_assert_int_eq(judge_one(&two, &packet), JUDGED_ACCEPT);
	packet.reported_groups = 2;
	ck_assert_int_eq(judge_one(&two, &packet), JUDGED_DROP);
	packet.reported_groups = 1;
	ck_assert_int_eq(judge_one(&two, &packet), JUDGED_ACCEPT);
	packet.reported_groups = 2;
	packet.icmp_type = 131;
	ck_assert_int_eq(judge_one(&two, &packet), JUDGED_ACCEPT);
}
END_TEST

START_TEST(a_reset_is_for_tcp)
{
	static const struct statement reset = { .kind = REJECT_RESET };
	struct packet udp = draw(&(struct sketch)UDP_TO(80)), tcp = draw(&(struct sketch)BY(0));

	ck_assert_int_eq(judge_one(&reset, &udp), JUDGED_DROP);
	ck_assert_int_eq(judge_one(&reset, &tcp), JUDGED_RESET);
}
END_TEST

static struct chain *add_base(struct ruleset *ruleset, const char *name, int32_t priority,
			      const struct statement *verdict)
{
	struct chain *chain = ruleset_add_chain(ruleset, name);

	chain->base = true;
	chain->hook = HOOK_OUTPUT;
	chain->priority = priority;
	if (verdict)
		chain_add_rule(chain, verdict, 1);
	return chain;
}

START_TEST(base_chains_run_by_priority_and_accept_ends_one_alone)
{
	struct ruleset ruleset = { 0 };
	struct packet packet = draw(&(struct sketch)BY(0));
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	add_base(&ruleset, "late", 10, &(struct statement){ .kind = DROP });
	add_base(&ruleset, "early", -10, &(struct statement){ .kind = ACCEPT });
	ck_assert_int_eq(judge(&ruleset, HOOK_OUTPUT, &packet, &mark, &chain, &rule), JUDGED_DROP);
	ck_assert_str_eq(chain->name, "late");
	ruleset.chains[1].rules[0].statements[0].kind = REJECT_PROHIBITED;
	ck_assert_int_eq(judge(&ruleset, HOOK_OUTPUT, &packet, &mark, &chain, &rule),
			 JUDGED_PROHIBITED);
	ck_assert_str_eq(chain->name, "early");
	ruleset.flags = TABLE_FLAG_DORMANT;
	ck_assert_int_eq(judge(&ruleset, HOOK_OUTPUT, &packet, &mark, &chain, &rule),
			 JUDGED_ACCEPT);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(a_goto_does_not_come_back)
{
	struct ruleset ruleset = { 0 };
	struct packet packet = draw(&(struct sketch)BY(0));
	uint32_t mark;

	add_base(&ruleset, "output", 0, &(struct statement){ .kind = GOTO, .name = "empty" });
	chain_add_rule(&ruleset.chains[0], &(struct statement){ .kind = DROP }, 1);
	ruleset_add_chain(&ruleset, "empty");
	ck_assert_int_eq(judge_sent(&ruleset, &packet, &mark), JUDGED_ACCEPT);
	ruleset.chains[0].policy_drop = true;
	ck_assert_int_eq(judge_sent(&ruleset, &packet, &mark), JUDGED_DROP);
	/* A loop ends in the policy too. */
	strcpy(ruleset.chains[0].rules[0].statements[0].name, "output");
	ck_assert_int_eq(judge_sent(&ruleset, &packet, &mark), JUDGED_DROP);
	ruleset_free(&ruleset);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("statements");

	tcase_add_loop_test(tests, a_statement_matches_what_it_says, 0,
			    sizeof(meanings) / sizeof(*meanings));
	tcase_add_test(tests, a_group_report_has_so_many_records);
	tcase_add_test(tests, a_reset_is_for_tcp);
	tcase_add_test(tests, base_chains_run_by_priority_and_accept_ends_one_alone);
	tcase_add_test(tests, a_goto_does_not_come_back);
	return suite_end("judge_statements", tests);
}
