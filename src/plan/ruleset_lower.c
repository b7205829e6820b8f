/* ruleset_lower.c: a ruleset in the form that legacy xtables can hold: which rules there are. */
#include "plan/ruleset_lower.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_expand.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. Each rule of the family is rewritten so that it has at most one action and
 * one value per match: what marks and accepts goes to the chain "allowed", which does both; on a
 * plain kernel a chain that accepts is written out in place of the goto to it, since a jump is all
 * that kernel has and "return" leads back to one chain only. ruleset_expand() then makes the rules
 * for each value. A statement that no entry can say ends it: nothing is left out that would have
 * closed something.
 */
enum { STATEMENTS_MAX = 2 * RULE_STATEMENTS_MAX, INLINE_DEPTH_MAX = 4 };

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

	if (strlen(instance) > XT_INSTANCE_MAX)
		err_set(err, "--name: %s: names of its chains have room for %d characters of it",
			without, XT_INSTANCE_MAX);
	else if (policy->exempt_users.count)
		err_set(err, "exempt_users: %s: name the confined ones in \"users\"", without);
	else if (policy->published_ports.count)
		err_set(err, "published_ports: %s", without);
	else if (!policy->loopback_any)
		err_set(err, "loopback: %s as a list of ports", without);
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

static bool has(const struct rule *rule, enum statement_kind kind)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->statements[i].kind == kind)
			return true;
	return false;
}

static bool chain_accepts(const struct chain *chain)
{
	for (size_t i = 0; i < chain->count; i++)
		if (has(&chain->rules[i], ACCEPT))
			return true;
	return false;
}

/*
 * On a plain kernel: rules for everybody else's packets and for those without an owner, which pass
 * in any case; and how a refused packet is refused by its source, where all of them are dropped.
 */
static bool is_pointless(const struct lowering *lowering, const struct rule *rule)
{
	const struct statement *last = &rule->statements[rule->count - 1];

	return lowering->kernel->plain &&
	       (has(rule, MATCH_OWNED) || has(rule, MATCH_SOURCE_LOCAL) ||
		(last->kind == GOTO && !strcmp(last->name, CHAIN_OWNERLESS)));
}

/* What the kernel has no target for, and can be done without: what is refused stays refused. */
static bool is_left_out(const struct lowering *lowering, enum statement_kind kind)
{
	if (kind == COUNT || (kind == LOG && !lowering->kernel->log))
		return true;
	return lowering->kernel->plain && (kind == SET_CT_MARK || kind == CLEAR_CT_MARK);
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

static bool lower_rule(struct lowering *lowering, struct chain *chain,
		       const struct statement *before, size_t before_count, const struct rule *rule,
		       int depth);

/* The chain's rules, each with the statements in front that led to it. */
static bool write_out(struct lowering *lowering, struct chain *chain, const struct chain *target,
		      const struct statement *statements, size_t count, int depth)
{
	for (size_t i = 0; i < target->count; i++)
		if (!lower_rule(lowering, chain, statements, count, &target->rules[i], depth + 1))
			return false;
	return true;
}

static bool lower_rule(struct lowering *lowering, struct chain *chain,
		       const struct statement *before, size_t before_count, const struct rule *rule,
		       int depth)
{
	struct statement flat[STATEMENTS_MAX];
	const struct chain *target = NULL;
	size_t count = before_count;

	if (is_pointless(lowering, rule))
		return true;
	if (before_count + rule->count > STATEMENTS_MAX || depth > INLINE_DEPTH_MAX) {
		err_set(lowering->err, "chain %s: a rule is longer than xtables can hold",
			chain->name);
		return false;
	}
	if (before_count)
		memcpy(flat, before, before_count * sizeof(*flat));
	for (size_t i = 0; i < rule->count; i++)
		if (!is_left_out(lowering, rule->statements[i].kind))
			flat[count++] = replaced(lowering, &rule->statements[i]);
	if (!count_actions(flat, count))
		return true;
	if (lowering->kernel->plain && !chain->base && flat[count - 1].kind == GOTO)
		target = ruleset_find_chain(lowering->from, flat[count - 1].name);
	if (target && chain_accepts(target))
		return write_out(lowering, chain, target, flat, count - 1, depth);
	statements_sort(flat, count);
	if (count_actions(flat, count) == 2 && flat[count - 2].kind == SET_CT_MARK &&
	    flat[count - 1].kind == ACCEPT) {
		lowering->allowed = true;
		flat[count - 2] = go_to(XT_CHAIN_ALLOWED);
		count--;
	}
	return ruleset_expand(lowering->from, lowering->kernel, flat, count, chain, lowering->err);
}

/* Whether the chain has a place in the table. */
static bool is_kept(const struct lowering *lowering, const struct chain *chain)
{
	if (chain->base && chain->hook == HOOK_POSTROUTING)
		return false;
	return !lowering->kernel->plain ||
	       (strcmp(chain->name, CHAIN_FORWARD) && strcmp(chain->name, CHAIN_OWNERLESS));
}

static bool lower_chain(struct lowering *lowering, const struct chain *from)
{
	struct chain *chain = ruleset_add_chain(lowering->to, from->name);

	chain->base = from->base;
	chain->hook = from->hook;
	for (size_t i = 0; i < from->count; i++)
		if (!lower_rule(lowering, chain, NULL, 0, &from->rules[i], 0))
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

static bool lower_all(struct lowering *lowering)
{
	const struct ruleset *from = lowering->from;

	for (size_t i = 0; i < from->chain_count; i++)
		if (is_kept(lowering, &from->chains[i]) && !lower_chain(lowering, &from->chains[i]))
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
	struct ruleset narrow, all = { .family = family }, kept;
	struct lowering lowering = { .from = &narrow, .kernel = kernel, .to = &all, .err = err };
	bool good;

	ruleset_narrow(inet, family, &narrow);
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

static void derive(struct ruleset *ruleset, const char *name)
{
	const struct chain *output = ruleset_find_chain(ruleset, CHAIN_OUTPUT);
	struct rangeset users = { 0 };

	for (size_t i = 0; output && i < output->count; i++) {
		const struct rule *rule = &output->rules[i];

		if (rule->count == 2 && rule->statements[0].kind == MATCH_USER &&
		    rule->statements[1].kind == GOTO && !strcmp(rule->statements[1].name, name))
			rangeset_add(&users, rule->statements[0].users.first,
				     rule->statements[0].users.last);
	}
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
