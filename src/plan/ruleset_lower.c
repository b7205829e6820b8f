/* ruleset_lower.c: a ruleset in the form that legacy xtables can hold: which rules there are. */
#include "plan/ruleset_lower.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_expand.h"
#include "plan/ruleset_parts.h"
#include "plan/ruleset_plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. Each rule of the family is rewritten so that it has at most one action and
 * one value per match: what marks and accepts goes to the chain "allowed", which does both.
 * ruleset_expand() then makes the rules for each value. A statement that no entry can say ends it:
 * nothing is left out that would have closed something.
 */
struct lowering {
	const struct ruleset *from; /* of one family */
	const struct xt_kernel *kernel;
	struct ruleset *to;
	bool allowed; /* the chain is needed */
	struct err *err;
};

bool xt_can_express(const struct policy *policy, const char *instance,
		    const struct xt_kernel *kernel, struct err *err)
{
	static const char without[] = "xtables (--backend xt) cannot enforce this";
	static const char lacks_conntrack[] =
		"cannot tell an answer from a beginning (module xt_conntrack)";

	if (strlen(instance) > XT_INSTANCE_MAX)
		err_set(err, "--name: %s: names of its chains have room for %d characters of it",
			without, XT_INSTANCE_MAX);
	else if (policy->exempt_users.count && kernel->plain)
		err_set(err,
			"exempt_users: %s on this kernel, which matches one uid at a time: "
			"name the confined ones in \"users\"",
			without);
	else if (policy->published_ports.count && !kernel->conntrack)
		err_set(err, "published_ports: %s on this kernel, which %s", without,
			lacks_conntrack);
	else if (!policy->loopback_any && !kernel->conntrack && !kernel->plain)
		err_set(err, "loopback: %s as a list of ports on this kernel, which %s", without,
			lacks_conntrack);
	else if (policy_enforcement(policy) == ENFORCE_FILTER)
		err_set(err,
			"enforcement: %s: there is no way to hold the filter itself to the policy",
			without);
	else if (policy->own_addresses && kernel->plain)
		err_set(err,
			"own_addresses: %s on this kernel, which does not match by type of "
			"address",
			without);
	else
		return true;
	return false;
}

void statements_sort(struct statement *statements, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j && statements[j - 1].kind > statements[j].kind; j--) {
			struct statement moved = statements[j];

			statements[j] = statements[j - 1];
			statements[j - 1] = moved;
		}
}

/* What the kernel has no target for, and can be done without: what is refused stays refused. */
static bool is_left_out(const struct lowering *lowering, enum statement_kind kind)
{
	return kind == COUNT || (kind == LOG && !lowering->kernel->log);
}

static struct statement replaced(const struct lowering *lowering, const struct statement *statement)
{
	struct statement copy = *statement;

	if (copy.kind == MATCH_IP_PROTOCOL)
		copy.kind = MATCH_PROTOCOL;
	if ((copy.kind == REJECT_RESET || copy.kind == REJECT_PROHIBITED) &&
	    !lowering->kernel->reject)
		copy.kind = DROP;
	return copy;
}

static size_t count_actions(const struct statement *statements, size_t count)
{
	size_t actions = 0;

	for (size_t i = 0; i < count; i++)
		actions += statements[i].kind >= SET_CT_MARK;
	return actions;
}

/*
 * With a list of loopback ports a datagram of a confined user's server passes as an answer where
 * the mark says that somebody else began. Another instance would set that mark on what the confined
 * user began, and there is no chain here that takes it back after all of them.
 */
static bool is_answer_by_mark(const struct rule *rule)
{
	bool reply = false, mark = false;

	for (size_t i = 0; i < rule->count; i++) {
		const struct statement *statement = &rule->statements[i];

		reply = reply || (statement->kind == MATCH_CT_REPLY && !statement->negate);
		mark = mark || (statement->kind == MATCH_CT_MARK && !statement->negate);
	}
	return reply && mark && rule->statements[rule->count - 1].kind == ACCEPT;
}

/*
 * The groups that a report names stand where no match here looks. Without the rule it is not sent.
 */
static bool is_group_report(const struct rule *rule)
{
	return rule->statements[0].kind == MATCH_GROUP_REPORT &&
	       rule->statements[rule->count - 1].kind == ACCEPT;
}

static bool lower_rule(struct lowering *lowering, struct chain *chain, const struct rule *rule)
{
	struct statement flat[RULE_STATEMENTS_MAX * 2];
	size_t count = 0;

	if (rule->count > sizeof(flat) / sizeof(*flat)) {
		err_set(lowering->err, "chain %s: a rule is longer than xtables can hold",
			chain->name);
		return false;
	}
	if (is_answer_by_mark(rule) || is_group_report(rule))
		return true;
	for (size_t i = 0; i < rule->count; i++)
		if (!is_left_out(lowering, rule->statements[i].kind))
			flat[count++] = replaced(lowering, &rule->statements[i]);
	if (!count_actions(flat, count))
		return true;
	statements_sort(flat, count);
	if (count_actions(flat, count) == 2 && flat[count - 2].kind == SET_CT_MARK &&
	    flat[count - 1].kind == ACCEPT) {
		lowering->allowed = true;
		flat[count - 2] = go_to(XT_CHAIN_ALLOWED);
		count--;
	}
	return ruleset_expand(lowering->from, lowering->kernel, flat, count, chain, lowering->err);
}

static bool lower_chain(struct lowering *lowering, const struct chain *from)
{
	struct chain *chain = ruleset_add_chain(lowering->to, from->name);

	chain->base = from->base;
	chain->hook = from->hook;
	for (size_t i = 0; i < from->count; i++)
		if (!lower_rule(lowering, chain, &from->rules[i]))
			return false;
	return true;
}

/* Chains that nothing leads to are left over where gotos were written out. */
static bool is_led_to(const struct ruleset *ruleset, const char *name)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++) {
			const struct rule *rule = &ruleset->chains[i].rules[j];
			const struct statement *last = &rule->statements[rule->count - 1];

			if (last->kind == GOTO && !strcmp(last->name, name))
				return true;
		}
	return false;
}

static void keep_led_to(const struct ruleset *all, struct ruleset *ret)
{
	struct ruleset kept = { .family = all->family };

	memcpy(kept.table, all->table, sizeof(kept.table));
	for (size_t i = 0; i < all->chain_count; i++)
		if (all->chains[i].base || is_led_to(all, all->chains[i].name))
			ruleset_copy_chain(&kept, &all->chains[i]);
	*ret = kept;
}

static size_t count_rules(const struct ruleset *ruleset)
{
	size_t count = 0;

	for (size_t i = 0; i < ruleset->chain_count; i++)
		count += ruleset->chains[i].count;
	return count;
}

static bool is_after_routing(const struct chain *chain)
{
	return chain->base && chain->hook == HOOK_POSTROUTING;
}

static bool lower_all(struct lowering *lowering)
{
	const struct ruleset *from = lowering->from;

	for (size_t i = 0; i < from->chain_count; i++)
		if (!is_after_routing(&from->chains[i]) && !lower_chain(lowering, &from->chains[i]))
			return false;
	if (lowering->allowed) {
		struct chain *chain = ruleset_add_chain(lowering->to, XT_CHAIN_ALLOWED);

		/* ct mark set ct mark or 0x40000000 */
		ADD_RULE(chain, plain(SET_CT_MARK));
		/* accept */
		ADD_RULE(chain, plain(ACCEPT));
	}
	return true;
}

bool ruleset_lower(const struct ruleset *inet, enum table_family family,
		   const struct xt_kernel *kernel, struct ruleset *ret, struct err *err)
{
	struct ruleset narrow, all = { .family = family }, kept, shaped;
	struct lowering lowering = { .from = &narrow, .kernel = kernel, .to = &all, .err = err };
	bool good;

	ruleset_narrow(inet, family, &narrow);
	if (kernel->plain) {
		ruleset_plain(&narrow, &shaped);
		ruleset_free(&narrow);
		narrow = shaped;
	}
	memcpy(all.table, inet->table, sizeof(all.table));
	good = lower_all(&lowering);
	if (good && count_rules(&all) > XT_RULES_MAX) {
		err_set(err,
			"%zu rules are more than the %d that xtables may hold here: they have no "
			"sets, so that each address is a rule for each of its port ranges",
			count_rules(&all), XT_RULES_MAX);
		good = false;
	}
	if (good) {
		keep_led_to(&all, &kept);
		ruleset_derive_users(&kept);
		ruleset_sign(&kept);
		*ret = kept;
	}
	ruleset_free(&narrow);
	ruleset_free(&all);
	return good;
}

static void find_users(const struct ruleset *ruleset, const char *asking, const char *name,
		       struct rangeset *users)
{
	const struct chain *chain = ruleset_find_chain(ruleset, asking);

	for (size_t i = 0; chain && i < chain->count; i++) {
		const struct rule *rule = &chain->rules[i];

		if (rule->count == 2 && rule->statements[0].kind == MATCH_USER &&
		    rule->statements[1].kind == GOTO && !strcmp(rule->statements[1].name, name))
			rangeset_add(users, rule->statements[0].users.first,
				     rule->statements[0].users.last);
	}
}

static void derive(struct ruleset *ruleset, const char *name)
{
	struct rangeset users = { 0 };

	find_users(ruleset, CHAIN_OUTPUT, name, &users);
	find_users(ruleset, XT_CHAIN_USERS, name, &users);
	if (users.count) {
		struct set *set = ruleset_add_set(ruleset, name, SET_UID, true);

		add_uid_ranges(&set->keys, &users);
		keyset_seal(&set->keys);
	}
	rangeset_free(&users);
}

void ruleset_derive_users(struct ruleset *ruleset)
{
	derive(ruleset, SET_CONFINED);
	derive(ruleset, SET_CLOSING);
}
