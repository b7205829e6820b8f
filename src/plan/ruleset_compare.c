/* ruleset_compare.c: every difference between the plan's ruleset and the kernel's. */
#include "plan/ruleset_compare.h"

#include "base/memory.h"
#include "plan/ruleset_compare_rules.h"
#include "plan/ruleset_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *wanted_found(const char *wanted, const char *found)
{
	return memory_format("wanted: %s, found: %s", wanted, found);
}

static char *name_of_table(const struct ruleset *ruleset)
{
	return memory_format("table %s %s", table_family_name(ruleset->family), ruleset->table);
}

static void compare_table(const struct ruleset *wanted, const struct ruleset *found,
			  struct findings *findings)
{
	if (wanted->flags != found->flags)
		findings_add(findings, FINDING_TABLE_FLAGS, name_of_table(wanted),
			     memory_format("wanted: flags %" PRIu32 ", found: flags %" PRIu32 "%s",
					   wanted->flags, found->flags,
					   found->flags & TABLE_FLAG_DORMANT ? " (dormant)" : ""));
	if (strcmp(wanted->comment, found->comment) != 0)
		findings_add(findings, FINDING_TABLE_COMMENT, name_of_table(wanted),
			     memory_format("wanted: comment \"%s\", found: comment \"%s\"",
					   wanted->comment, found->comment));
}

/* Elements that one side has alone; how many of them were named, and how many there are. */
struct element_findings {
	struct findings *findings;
	const struct set *set;
	size_t named;
	size_t missing, extra; /* beyond those named */
};

static void add_element(struct element_findings *elements, const struct set *from, size_t index,
			enum finding_kind kind)
{
	struct buffer text = { 0 };

	if (elements->named == FINDINGS_PER_SET) {
		if (kind == FINDING_ELEMENT_MISSING)
			elements->missing++;
		else
			elements->extra++;
		return;
	}
	elements->named++;
	buffer_append_text(&text, kind == FINDING_ELEMENT_MISSING ? "wanted: " : "found: ");
	set_print_element(from, index, &text);
	findings_add(elements->findings, kind, memory_format("set %s", elements->set->name),
		     buffer_steal(&text));
}

static int compare_elements(const struct keyset *one, size_t index, const struct keyset *other,
			    size_t other_index)
{
	int order = memcmp(keyset_first(one, index), keyset_first(other, other_index), one->width);

	if (order || !one->interval)
		return order;
	return memcmp(keyset_last(one, index), keyset_last(other, other_index), one->width);
}

/* Both are sorted: one walk along both. */
static void compare_keys(const struct set *wanted, const struct set *found,
			 struct findings *findings)
{
	struct element_findings elements = { .findings = findings, .set = wanted };
	const struct keyset *left = &wanted->keys, *right = &found->keys;
	size_t i = 0, j = 0;

	while (i < left->count || j < right->count) {
		int order = j == right->count  ? -1
			    : i == left->count ? 1
					       : compare_elements(left, i, right, j);

		if (order < 0)
			add_element(&elements, wanted, i, FINDING_ELEMENT_MISSING);
		else if (order > 0)
			add_element(&elements, found, j, FINDING_ELEMENT_EXTRA);
		i += order <= 0;
		j += order >= 0;
	}
	if (elements.missing)
		findings_add(findings, FINDING_ELEMENT_MISSING,
			     memory_format("set %s", wanted->name),
			     memory_format("wanted: %zu more", elements.missing));
	if (elements.extra)
		findings_add(findings, FINDING_ELEMENT_EXTRA, memory_format("set %s", wanted->name),
			     memory_format("found: %zu more", elements.extra));
}

/* A set as a person would say it: "a set of IPv4 addresses". */
static char *describe_set(const struct set *set)
{
	static const char *const members[] = {
		[SET_UID] = "user ids",
		[SET_IPV4] = "IPv4 addresses",
		[SET_IPV6] = "IPv6 addresses",
		[SET_PORT] = "ports",
	};

	if (set->type == SET_FOREIGN)
		return memory_copy_string(set->foreign);
	return memory_format("a set of %s%s", set->keys.interval ? "ranges of " : "",
			     members[set->type]);
}

static void compare_set(const struct set *wanted, const struct set *found,
			struct findings *findings)
{
	if (wanted->type != found->type || wanted->keys.interval != found->keys.interval) {
		autofree char *want = describe_set(wanted), *have = describe_set(found);

		findings_add(findings, FINDING_SET_CHANGED, memory_format("set %s", wanted->name),
			     wanted_found(want, have));
		return;
	}
	if (!keyset_equal(&wanted->keys, &found->keys))
		compare_keys(wanted, found, findings);
}

static void compare_sets(const struct ruleset *wanted, const struct ruleset *found,
			 struct findings *findings)
{
	for (size_t i = 0; i < wanted->set_count; i++) {
		const struct set *set = &wanted->sets[i],
				 *other = ruleset_find_set(found, set->name);

		if (other) {
			compare_set(set, other, findings);
		} else {
			autofree char *want = describe_set(set);

			findings_add(findings, FINDING_SET_MISSING,
				     memory_format("set %s", set->name),
				     memory_format("wanted: %s, %zu in all, found: no such set",
						   want, set->keys.count));
		}
	}
	for (size_t i = 0; i < found->set_count; i++)
		if (!ruleset_find_set(wanted, found->sets[i].name)) {
			autofree char *have = describe_set(&found->sets[i]);

			findings_add(findings, FINDING_SET_EXTRA,
				     memory_format("set %s", found->sets[i].name),
				     wanted_found("no such set", have));
		}
}

static const char *hook_text(const struct chain *chain)
{
	return chain->base ? hook_name(chain->hook) : "no hook";
}

static void compare_chain(const struct chain *wanted, const struct chain *found,
			  enum table_family family, struct findings *findings)
{
	if (wanted->base != found->base || (wanted->base && wanted->hook != found->hook))
		findings_add(findings, FINDING_CHAIN_HOOK, memory_format("chain %s", wanted->name),
			     wanted_found(hook_text(wanted), hook_text(found)));
	if (wanted->base && found->base && wanted->priority != found->priority)
		findings_add(findings, FINDING_CHAIN_PRIORITY,
			     memory_format("chain %s", wanted->name),
			     memory_format("wanted: priority %" PRId32 ", found: priority %" PRId32,
					   wanted->priority, found->priority));
	if (wanted->base && found->base && wanted->policy_drop != found->policy_drop)
		findings_add(findings, FINDING_CHAIN_POLICY,
			     memory_format("chain %s", wanted->name),
			     wanted_found(wanted->policy_drop ? "policy drop" : "policy accept",
					  found->policy_drop ? "policy drop" : "policy accept"));
	compare_rules(wanted, found, family, findings);
}

static void compare_chains(const struct ruleset *wanted, const struct ruleset *found,
			   struct findings *findings)
{
	for (size_t i = 0; i < wanted->chain_count; i++) {
		const struct chain *chain = &wanted->chains[i];
		const struct chain *other = ruleset_find_chain(found, chain->name);

		if (other)
			compare_chain(chain, other, wanted->family, findings);
		else
			findings_add(findings, FINDING_CHAIN_MISSING,
				     memory_format("chain %s", chain->name),
				     memory_format("wanted: %zu rules, found: no such chain",
						   chain->count));
	}
	for (size_t i = 0; i < found->chain_count; i++)
		if (!ruleset_find_chain(wanted, found->chains[i].name))
			findings_add(findings, FINDING_CHAIN_EXTRA,
				     memory_format("chain %s", found->chains[i].name),
				     memory_format("wanted: no such chain, found: %zu rules",
						   found->chains[i].count));
}

void ruleset_compare(const struct ruleset *wanted, const struct ruleset *found,
		     struct findings *findings)
{
	if (wanted->family != found->family || strcmp(wanted->table, found->table) != 0) {
		findings_add(findings, FINDING_TABLE_MISSING, name_of_table(wanted),
			     found->table[0]
				     ? memory_format("found: table %s %s",
						     table_family_name(found->family), found->table)
				     : memory_copy_string("the kernel has no such table"));
		return;
	}
	compare_table(wanted, found, findings);
	compare_sets(wanted, found, findings);
	compare_chains(wanted, found, findings);
}
