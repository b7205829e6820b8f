/* test_ruleset_compare.c: one difference at a time, each with its one finding. */
#include "ruleset_fixture.h"

#include "plan/ruleset_compare.h"
#include "suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct chain *chain_named(struct ruleset *ruleset, const char *name)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (!strcmp(ruleset->chains[i].name, name))
			return &ruleset->chains[i];
	ck_abort_msg("no chain %s", name);
}

static struct set *set_named(struct ruleset *ruleset, const char *name)
{
	for (size_t i = 0; i < ruleset->set_count; i++)
		if (!strcmp(ruleset->sets[i].name, name))
			return &ruleset->sets[i];
	ck_abort_msg("no set %s", name);
}

static void insert_rule(struct chain *chain, size_t index, struct statement statement)
{
	struct rule added;

	chain_add_rule(chain, &statement, 1);
	added = chain->rules[chain->count - 1];
	memmove(&chain->rules[index + 1], &chain->rules[index],
		(chain->count - 1 - index) * sizeof(*chain->rules));
	chain->rules[index] = added;
}

static void take_rule(struct chain *chain, size_t index)
{
	struct rule rule = chain->rules[index];

	for (size_t i = 0; i < rule.count; i++)
		rangeset_free(&rule.statements[i].ports);
	free(rule.statements);
	chain->count--;
	memmove(&chain->rules[index], &chain->rules[index + 1],
		(chain->count - index) * sizeof(*chain->rules));
}

static void rename_table(struct ruleset *found)
{
	strcpy(found->table, "egressfw-2");
}
static void make_dormant(struct ruleset *found)
{
	found->flags = TABLE_FLAG_DORMANT;
}
static void change_comment(struct ruleset *found)
{
	strcpy(found->comment, "x");
}

static void take_set(struct ruleset *found)
{
	keyset_free(&found->sets[--found->set_count].keys);
}

static void add_set(struct ruleset *found)
{
	ruleset_add_set(found, "more", SET_PORT, false);
}

static void change_set_type(struct ruleset *found)
{
	struct keyset *keys = &set_named(found, "net4_1")->keys;

	keyset_free(keys);
	*keys = keyset_new(4, false);
}

static void make_foreign(struct set *set, enum set_type type)
{
	keyset_free(&set->keys);
	set->type = type;
	set->keys = keyset_new(set_type_width(type), false);
	set->foreign = type == SET_FOREIGN ? "a map" : NULL;
}

static void change_set_to_ports(struct ruleset *found)
{
	make_foreign(set_named(found, "pin4_1"), SET_PORT);
}

static void change_set_kind(struct ruleset *found)
{
	make_foreign(set_named(found, "confined"), SET_FOREIGN);
}

static void add_foreign_set(struct ruleset *found)
{
	ruleset_add_set(found, "odd", SET_FOREIGN, false)->foreign = "a map";
}

static void add_element(struct ruleset *found)
{
	struct keyset *keys = &set_named(found, "pin4_1")->keys;

	keyset_add(keys, (const uint8_t[]){ 203, 0, 113, 99 });
	keyset_seal(keys);
}

static void take_element(struct ruleset *found)
{
	set_named(found, "pin4_1")->keys.count--;
}

static void widen_prefix(struct ruleset *found)
{
	keyset_add_interval(&set_named(found, "net4_1")->keys, (const uint8_t[]){ 198, 51, 0, 0 },
			    (const uint8_t[]){ 198, 51, 255, 255 });
	keyset_seal(&set_named(found, "net4_1")->keys);
}

static void rename_chain(struct ruleset *found)
{
	strcpy(chain_named(found, "ownerless")->name, "ownerles5");
}

static void add_chain(struct ruleset *found)
{
	ruleset_add_chain(found, "more");
}
static void change_hook(struct ruleset *found)
{
	chain_named(found, "output")->hook = HOOK_INPUT;
}
static void drop_hook(struct ruleset *found)
{
	chain_named(found, "output")->base = false;
}
static void change_priority(struct ruleset *found)
{
	chain_named(found, "output")->priority = -300;
}
static void change_policy(struct ruleset *found)
{
	chain_named(found, "output")->policy_drop = true;
}

static void take_first_rule(struct ruleset *found)
{
	take_rule(chain_named(found, "output"), 0);
}
static void take_last_rule(struct ruleset *found)
{
	take_rule(chain_named(found, "confined"), 9);
}

static void insert_first_rule(struct ruleset *found)
{
	insert_rule(chain_named(found, "output"), 0, (struct statement){ .kind = ACCEPT });
}

static void insert_foreign_rule(struct ruleset *found)
{
	insert_rule(chain_named(found, "confined"), 2,
		    (struct statement){ .kind = FOREIGN, .name = "masq" });
}

static void repeat_rule(struct ruleset *found)
{
	insert_rule(chain_named(found, "confined"), 9,
		    (struct statement){ .kind = GOTO, .name = "refuse" });
}

static void change_rule(struct ruleset *found)
{
	chain_named(found, "forward")->rules[0].statements[2].kind = ACCEPT;
}

static void change_ports(struct ruleset *found)
{
	struct rule *rule = &chain_named(found, "confined")->rules[2];

	rangeset_add(&rule->statements[1].ports, 25, 25);
}

static void move_rule_up(struct ruleset *found)
{
	struct chain *chain = chain_named(found, "output");
	struct rule last = chain->rules[chain->count - 1];

	memmove(&chain->rules[1], &chain->rules[0], (chain->count - 1) * sizeof(last));
	chain->rules[0] = last;
}

static void count_packets(struct ruleset *found)
{
	struct rule *rule = &chain_named(found, "forward")->rules[0];

	rule->handle = 12;
	rule->statements[1].counter.packets = 3;
}

static const struct {
	void (*change)(struct ruleset *found);
	const char *findings;        /* kinds, separated by spaces */
	const char *object, *detail; /* of the first */
} cases[] = {
	{ rename_table, "table-missing", "table inet egressfw", "found: table inet egressfw-2" },
	{ make_dormant, "table-flags", "table inet egressfw",
	  "wanted: flags 0, found: flags 1 (dormant)" },
	{ change_comment, "table-comment", "table inet egressfw", NULL },
	{ take_set, "set-missing", "set net6_4", 
	  "wanted: a set of ranges of IPv6 addresses, 1 in all, found: no such set" },
	{ add_set, "set-extra", "set more", "wanted: no such set, found: a set of ports" },
	{ change_set_type, "set-changed", "set net4_1",
	  "wanted: a set of ranges of IPv4 addresses, found: a set of IPv4 addresses" },
	{ change_set_to_ports, "set-changed", "set pin4_1",
	  "wanted: a set of IPv4 addresses, found: a set of ports" },
	{ change_set_kind, "set-changed", "set confined",
	  "wanted: a set of ranges of user ids, found: a map" },
	{ add_foreign_set, "set-extra", "set odd", "wanted: no such set, found: a map" },
	{ add_element, "element-extra", "set pin4_1", "found: 203.0.113.99" },
	{ take_element, "element-missing", "set pin4_1", "wanted: 203.0.113.7" },
	{ widen_prefix, "element-extra element-missing", "set net4_1", "found: 198.51.0.0/16" },
	{ rename_chain, "chain-missing chain-extra", "chain ownerless",
	  "wanted: 7 rules, found: no such chain" },
	{ add_chain, "chain-extra", "chain more", "wanted: no such chain, found: 0 rules" },
	{ change_hook, "chain-hook", "chain output", "wanted: output, found: input" },
	{ drop_hook, "chain-hook", "chain output", "wanted: output, found: no hook" },
	{ change_priority, "chain-priority", "chain output",
	  "wanted: priority 100, found: priority -300" },
	{ change_policy, "chain-policy", "chain output",
	  "wanted: policy accept, found: policy drop" },
	{ take_first_rule, "rule-missing", "rule 1 of chain output",
	  "wanted: meta skuid 1500 goto confined" },
	{ take_last_rule, "rule-missing", "rule 10 of chain confined", "wanted: goto refuse" },
	{ insert_first_rule, "rule-extra", "rule 1 of chain output", "found: accept" },
	{ insert_foreign_rule, "rule-extra", "rule 3 of chain confined",
	  "found: <not ours: masq>" },
	{ repeat_rule, "rule-extra", NULL, "found: goto refuse" },
	{ change_rule, "rule-changed", "rule 1 of chain forward",
	  "wanted: iifname \"lo\" counter drop, found: iifname \"lo\" counter accept" },
	{ change_ports, "rule-changed", "rule 3 of chain confined", NULL },
	{ move_rule_up, "rule-moved", "rule 8 of chain output",
	  "wanted: rule 8, found: rule 1: goto ownerless" },
	{ count_packets, "", NULL, NULL },
};

static struct findings compare_changed(void (*change)(struct ruleset *found))
{
	struct ruleset wanted = fixture_named("allowlist"), found = fixture_named("allowlist");
	struct findings findings = { 0 };

	if (change)
		change(&found);
	ruleset_compare(&wanted, &found, &findings);
	ruleset_free(&wanted);
	ruleset_free(&found);
	return findings;
}

START_TEST(a_difference_is_one_finding)
{
	struct findings findings = compare_changed(cases[_i].change);
	char kinds[1024] = "";

	for (size_t i = 0; i < findings.count; i++) {
		strcat(kinds, i ? " " : "");
		strcat(kinds, finding_name(findings.items[i].kind));
	}
	ck_assert_str_eq(kinds, cases[_i].findings);
	if (cases[_i].object)
		ck_assert_str_eq(findings.items[0].object, cases[_i].object);
	if (cases[_i].detail)
		ck_assert_str_eq(findings.items[0].detail, cases[_i].detail);
	findings_free(&findings);
}
END_TEST

START_TEST(every_fixture_is_the_same_as_itself)
{
	struct ruleset one = fixture_named(fixture_names[_i]),
		       other = fixture_named(fixture_names[_i]);
	struct findings findings = { 0 };

	ruleset_compare(&one, &other, &findings);
	ck_assert_uint_eq(findings.count, 0);
	ruleset_free(&one);
	ruleset_free(&other);
}
END_TEST

START_TEST(nothing_there_is_a_missing_table)
{
	struct ruleset wanted = fixture_named("allowlist"), found = { 0 };
	struct findings findings = { 0 };

	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_int_eq(findings.items[0].kind, FINDING_TABLE_MISSING);
	ck_assert_str_eq(findings.items[0].detail, "the kernel has no such table");
	findings_free(&findings);
	ruleset_free(&wanted);
}
END_TEST

START_TEST(many_elements_are_named_and_then_counted)
{
	struct ruleset wanted = fixture_named("allowlist"), found = fixture_named("allowlist");
	struct keyset *keys = &set_named(&found, "pin4_1")->keys;
	struct findings findings = { 0 };

	for (uint8_t i = 0; i < 200; i++)
		keyset_add(keys, (const uint8_t[]){ 198, 18, 0, i });
	keyset_seal(keys);
	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, FINDINGS_PER_SET + 1);
	ck_assert_str_eq(findings.items[0].detail, "found: 198.18.0.0");
	ck_assert_str_eq(findings.items[FINDINGS_PER_SET].detail, "found: 184 more");
	findings_free(&findings);
	ruleset_free(&wanted);
	ruleset_free(&found);
}
END_TEST

START_TEST(several_changes_in_one_chain_do_not_cascade)
{
	struct ruleset wanted = fixture_named("allowlist"), found = fixture_named("allowlist");
	struct chain *chain = chain_named(&found, "ownerless");
	struct findings findings = { 0 };

	insert_rule(chain, 0, (struct statement){ .kind = COUNT });
	take_rule(chain, 3);
	chain->rules[4].statements[0].bytes.values[0]++;
	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, 3);
	ck_assert_int_eq(findings.items[0].kind, FINDING_RULE_EXTRA);
	ck_assert_int_eq(findings.items[1].kind, FINDING_RULE_MISSING);
	ck_assert_str_eq(findings.items[1].object, "rule 3 of chain ownerless");
	ck_assert_int_eq(findings.items[2].kind, FINDING_RULE_CHANGED);
	ck_assert_str_eq(findings.items[2].object, "rule 5 of chain ownerless");
	findings_free(&findings);
	ruleset_free(&wanted);
	ruleset_free(&found);
}
END_TEST

/* More cells than the limit: place by place, within the time of a test. */
START_TEST(long_chains_are_compared_all_the_same)
{
	struct ruleset wanted = { .table = "t" }, found = { .table = "t" };
	struct chain *left = ruleset_add_chain(&wanted, "c"),
		     *right = ruleset_add_chain(&found, "c");
	struct findings findings = { 0 };

	for (size_t i = 0; i < 8192; i++) {
		chain_add_rule(left, &(struct statement){ .kind = ACCEPT }, 1);
		chain_add_rule(right, &(struct statement){ .kind = DROP }, 1);
	}
	ruleset_compare(&wanted, &found, &findings);
	ck_assert_uint_eq(findings.count, 8192);
	ck_assert_int_eq(findings.items[8191].kind, FINDING_RULE_CHANGED);
	findings_free(&findings);
	ruleset_free(&wanted);
	ruleset_free(&found);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("findings");
	size_t fixtures = 0;

	while (fixture_names[fixtures])
		fixtures++;
	tcase_add_loop_test(tests, a_difference_is_one_finding, 0, sizeof(cases) / sizeof(*cases));
	tcase_add_loop_test(tests, every_fixture_is_the_same_as_itself, 0, (int)fixtures);
	tcase_add_test(tests, nothing_there_is_a_missing_table);
	tcase_add_test(tests, many_elements_are_named_and_then_counted);
	tcase_add_test(tests, several_changes_in_one_chain_do_not_cascade);
	tcase_add_test(tests, long_chains_are_compared_all_the_same);
	return suite_end("ruleset_compare", tests);
}
