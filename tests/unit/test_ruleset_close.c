/* test_ruleset_close.c: users closed in beside what stands, and what happens to everybody else. */
#include "ruleset_fixture.h"

#include "base/memory.h"
#include "plan/judge.h"
#include "plan/ruleset_build.h"
#include "suite.h"

#include <check.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { STANDING = 1500, CLOSING = 1600, SECOND = 1700, OTHER = 1000, NOBODY = -1 };
enum { SYN = 0x02, ACK = 0x10 };

static struct ruleset deny_all_for(uint32_t uid, enum ownerless ownerless)
{
	struct fixture fixture;
	struct ruleset deny_all;

	fixture_init(&fixture, MODE_NO_NETWORK);
	fixture.policy.ownerless = ownerless;
	/* The new policy is about nobody who stands confined. */
	rangeset_free(&fixture.confined);
	rangeset_add(&fixture.confined, uid, uid);
	deny_all = fixture_ruleset(&fixture);
	fixture_free(&fixture);
	return deny_all;
}

/* Closes one more user in; frees what stood. */
static struct ruleset close_one(struct ruleset standing, uint32_t uid, enum ownerless ownerless)
{
	struct ruleset deny_all = deny_all_for(uid, ownerless), closed;
	struct rangeset closing = { 0 };

	rangeset_add(&closing, uid, uid);
	ruleset_close(&standing, &deny_all, &closing, &closed);
	rangeset_free(&closing);
	ruleset_free(&standing);
	ruleset_free(&deny_all);
	return closed;
}

static enum judgement sent(const struct ruleset *ruleset, int64_t uid, const char *to, bool lo,
			   uint8_t flags, uint32_t *mark)
{
	struct packet packet = {
		.owned = uid != NOBODY,
		.uid = (uint32_t)uid,
		.destination = fixture_address(to),
		.protocol = IPPROTO_TCP,
		.destination_port = 443,
		.tcp_flags = flags,
		.out_loopback = lo,
		.destination_local = lo,
		.source_local = true,
		.tracked = true,
		.mark = *mark,
	};

	return judge_sent(ruleset, &packet, mark);
}

static void check_sent(const struct ruleset *ruleset, int64_t uid, const char *to, uint8_t flags,
		       uint32_t mark_before, enum judgement expected, uint32_t mark_after)
{
	enum judgement judgement =
		sent(ruleset, uid, to, !strncmp(to, "127.", 4), flags, &mark_before);

	ck_assert_msg(judgement == expected, "uid %d to %s: %s", (int)uid, to,
		      judgement_name(judgement));
	ck_assert_uint_eq(mark_before, mark_after);
}

#define PINNED "203.0.113.5"
#define ELSEWHERE "192.0.2.200"

static const struct {
	const char *standing;
	enum ownerless ownerless; /* of the new policy */
} pairs[] = {
	{ "allowlist", OWNERLESS_DROP },
	{ "allowlist", OWNERLESS_PASS },
	{ "many-users", OWNERLESS_DROP },
	{ "many-users", OWNERLESS_PASS },
	{ "ownerless-pass", OWNERLESS_DROP },
	{ "ownerless-pass", OWNERLESS_PASS },
};

START_TEST(closed_users_reach_loopback_alone)
{
	bool standing_marks = strcmp(pairs[_i].standing, "ownerless-pass") != 0;
	bool marks = standing_marks || pairs[_i].ownerless == OWNERLESS_DROP;
	struct ruleset closed =
		close_one(fixture_named(pairs[_i].standing), CLOSING, pairs[_i].ownerless);

	check_sent(&closed, CLOSING, PINNED, SYN, 0, JUDGED_RESET, 0);
	check_sent(&closed, CLOSING, "2001:db8:1::1", SYN, 0, JUDGED_RESET, 0);
	check_sent(&closed, CLOSING, "127.0.0.1", SYN, 0, JUDGED_ACCEPT, 0);
	check_sent(&closed, CLOSING, "127.0.0.11", SYN, 0, JUDGED_RESET, 0);
	/* A connection from before, marked while the user was everybody else. */
	check_sent(&closed, CLOSING, ELSEWHERE, ACK, OWNED_MARK, JUDGED_RESET,
		   marks ? 0 : OWNED_MARK);
	/* Who stood confined has what it had. */
	check_sent(&closed, STANDING, PINNED, SYN, 0, JUDGED_ACCEPT,
		   standing_marks ? OWNED_MARK : 0);
	check_sent(&closed, STANDING, ELSEWHERE, SYN, 0, JUDGED_RESET, 0);
	/* Everybody else, and what has no owner. */
	check_sent(&closed, OTHER, ELSEWHERE, SYN, 0, JUDGED_ACCEPT, marks ? OWNED_MARK : 0);
	check_sent(&closed, NOBODY, ELSEWHERE, ACK, OWNED_MARK, JUDGED_ACCEPT, OWNED_MARK);
	check_sent(&closed, NOBODY, ELSEWHERE, ACK, 0, marks ? JUDGED_DROP : JUDGED_ACCEPT, 0);
	ruleset_free(&closed);
}
END_TEST

START_TEST(what_changed_its_route_is_caught)
{
	struct ruleset closed =
		close_one(fixture_named(pairs[_i].standing), CLOSING, pairs[_i].ownerless);
	struct packet packet = {
		.owned = true,
		.uid = CLOSING,
		.destination = fixture_address(PINNED),
		.protocol = IPPROTO_TCP,
		.tracked = true,
		.mark = OWNED_MARK,
	};
	const struct chain *chain;
	uint32_t mark;
	size_t rule;

	ck_assert_int_eq(judge(&closed, HOOK_POSTROUTING, &packet, &mark, &chain, &rule),
			 JUDGED_DROP);
	packet.uid = STANDING;
	ck_assert_int_eq(judge(&closed, HOOK_POSTROUTING, &packet, &mark, &chain, &rule),
			 JUDGED_ACCEPT);
	ruleset_free(&closed);
}
END_TEST

START_TEST(closing_twice_adds_up)
{
	struct ruleset closed = close_one(fixture_named("allowlist"), CLOSING, OWNERLESS_PASS);
	struct ruleset again = close_one(closed, SECOND, OWNERLESS_DROP);
	struct rangeset users = ruleset_confined(&again);
	struct buffer text = { 0 };

	check_sent(&again, CLOSING, PINNED, SYN, 0, JUDGED_RESET, 0);
	check_sent(&again, SECOND, PINNED, SYN, 0, JUDGED_RESET, 0);
	check_sent(&again, STANDING, PINNED, SYN, 0, JUDGED_ACCEPT, OWNED_MARK);
	rangeset_print(&users, &text);
	ck_assert_str_eq(buffer_string(&text), "1500, 1600, 1700, 100000-165535");
	/* The chains are there once. */
	for (size_t i = 0; i < again.chain_count; i++)
		ck_assert_ptr_eq(ruleset_find_chain(&again, again.chains[i].name),
				 &again.chains[i]);
	for (size_t i = 0; i < again.set_count; i++)
		ck_assert_ptr_eq(ruleset_find_set(&again, again.sets[i].name), &again.sets[i]);
	buffer_free(&text);
	rangeset_free(&users);
	ruleset_free(&again);
}
END_TEST

/* What marks comes from a deny-all ruleset that compares its users, or looks them up. */
START_TEST(only_what_marks_is_taken_over)
{
	struct ruleset standing = fixture_named("ownerless-pass"), closed;
	struct ruleset deny_all = fixture_named(_i ? "many-users" : "no-network");
	struct rangeset closing = { 0 };
	const struct chain *output;

	rangeset_add(&closing, CLOSING, CLOSING);
	ruleset_close(&standing, &deny_all, &closing, &closed);
	output = ruleset_find_chain(&closed, "output");
	/* Those closed, the two ranges that stood, and the six about everybody else. */
	ck_assert_uint_eq(output->count, 9);
	ck_assert_int_eq(output->rules[0].statements[0].kind, MATCH_USER_IN);
	ck_assert_str_eq(output->rules[0].statements[0].name, "closing");
	for (size_t i = 1; i < output->count; i++) {
		enum statement_kind kind = output->rules[i].statements[0].kind;

		ck_assert((kind == MATCH_USER) == (i < 3));
		ck_assert_int_ne(kind, MATCH_USER_IN);
	}
	rangeset_free(&closing);
	ruleset_free(&standing);
	ruleset_free(&deny_all);
	ruleset_free(&closed);
}
END_TEST

START_TEST(beside_nothing_it_is_deny_all)
{
	struct ruleset closed = close_one((struct ruleset){ 0 }, CLOSING, OWNERLESS_DROP);
	struct ruleset deny_all = deny_all_for(CLOSING, OWNERLESS_DROP);

	ck_assert_str_eq(closed.comment, deny_all.comment);
	ruleset_free(&closed);
	ruleset_free(&deny_all);
}
END_TEST

static void add_foreign_rule(struct ruleset *standing)
{
	chain_add_rule(&standing->chains[1], &(struct statement){ .kind = FOREIGN }, 1);
}

static void rename_output(struct ruleset *standing)
{
	strcpy(standing->chains[0].name, "outputs");
}
static void unhook_output(struct ruleset *standing)
{
	standing->chains[0].base = false;
}
static void rehook_output(struct ruleset *standing)
{
	standing->chains[0].hook = HOOK_INPUT;
}
static void change_family(struct ruleset *standing)
{
	standing->family = TABLE_IP;
}

static void (*const tampering[])(struct ruleset *) = {
	add_foreign_rule, rename_output, unhook_output, rehook_output, change_family,
};

START_TEST(what_is_not_wholly_ours_gives_way_to_deny_all)
{
	enum { WAYS = sizeof(tampering) / sizeof(*tampering) };
	struct ruleset standing = fixture_named(_i < WAYS ? "allowlist" : "many-users"), closed;

	tampering[_i % WAYS](&standing);
	closed = close_one(standing, CLOSING, OWNERLESS_DROP);
	/* Nobody who stood confined is let out by it. */
	check_sent(&closed, STANDING, PINNED, SYN, 0, JUDGED_RESET, 0);
	check_sent(&closed, 100000, ELSEWHERE, SYN, 0, JUDGED_RESET, 0);
	check_sent(&closed, CLOSING, PINNED, SYN, 0, JUDGED_RESET, 0);
	check_sent(&closed, OTHER, PINNED, SYN, 0, JUDGED_ACCEPT, OWNED_MARK);
	ck_assert_ptr_null(ruleset_find_set(&closed, "pin4_1"));
	ruleset_free(&closed);
}
END_TEST

START_TEST(a_dormant_table_wakes_up)
{
	struct ruleset standing = fixture_named("allowlist"), closed;

	standing.flags = TABLE_FLAG_DORMANT;
	closed = close_one(standing, CLOSING, OWNERLESS_DROP);
	ck_assert_uint_eq(closed.flags, 0);
	check_sent(&closed, STANDING, ELSEWHERE, SYN, 0, JUDGED_RESET, 0);
	ruleset_free(&closed);
}
END_TEST

START_TEST(narrowing_may_come_before_or_after)
{
	struct ruleset wide = close_one(fixture_named("allowlist"), CLOSING, OWNERLESS_DROP), one,
		       other;
	struct ruleset inet = fixture_named("allowlist"), standing, deny_all_inet, deny_all;
	struct rangeset closing = { 0 };

	ruleset_narrow(&wide, TABLE_IP6, &one);
	deny_all_inet = deny_all_for(CLOSING, OWNERLESS_DROP);
	ruleset_narrow(&inet, TABLE_IP6, &standing);
	ruleset_narrow(&deny_all_inet, TABLE_IP6, &deny_all);
	rangeset_add(&closing, CLOSING, CLOSING);
	ruleset_close(&standing, &deny_all, &closing, &other);
	ck_assert_str_eq(one.comment, other.comment);
	check_sent(&one, CLOSING, "2001:db8:1::1", SYN, 0, JUDGED_RESET, 0);
	rangeset_free(&closing);
	ruleset_free(&wide);
	ruleset_free(&one);
	ruleset_free(&other);
	ruleset_free(&inet);
	ruleset_free(&standing);
	ruleset_free(&deny_all_inet);
	ruleset_free(&deny_all);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("closing");

	tcase_add_loop_test(tests, closed_users_reach_loopback_alone, 0,
			    sizeof(pairs) / sizeof(*pairs));
	tcase_add_loop_test(tests, what_changed_its_route_is_caught, 0,
			    sizeof(pairs) / sizeof(*pairs));
	tcase_add_test(tests, closing_twice_adds_up);
	tcase_add_loop_test(tests, only_what_marks_is_taken_over, 0, 2);
	tcase_add_test(tests, beside_nothing_it_is_deny_all);
	tcase_add_loop_test(tests, what_is_not_wholly_ours_gives_way_to_deny_all, 0,
			    2 * sizeof(tampering) / sizeof(*tampering));
	tcase_add_test(tests, a_dormant_table_wakes_up);
	tcase_add_test(tests, narrowing_may_come_before_or_after);
	return suite_end("ruleset_close", tests);
}
