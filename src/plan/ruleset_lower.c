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
 * one value per match: what marks and accepts goes to the chain "allowed", which does both.
 * ruleset_expand() then makes the rules for each value. A statement that no entry can say ends it:
 * nothing is left out that would have closed something.
 *
 * A plain kernel has no goto, so that "return" leads back to one chain only, and it drops what has
 * no owner as soon as a rule asks for one: the answers of the kernel itself and of its listeners. So
 * the chain "loopback" is written out in "output", in front of the rules that ask for a user, and
 * asks itself only where it refuses: what it accepts it accepts of everybody, whom no rule of ours
 * would have stopped there.
 */
enum { STATEMENTS_MAX = 2 * RULE_STATEMENTS_MAX };

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

/* The chain that a rule leads to, or NULL. */
static const struct chain *target_of(const struct lowering *lowering, const struct rule *rule)
{
	const struct statement *last = &rule->statements[rule->count - 1];

	return last->kind == GOTO ? ruleset_find_chain(lowering->from, last->name) : NULL;
}

/* The same if that chain accepts anything. */
static const struct chain *accepting_target(const struct lowering *lowering,
					    const struct rule *rule)
{
	const struct chain *target = target_of(lowering, rule);

	return target && chain_accepts(target) ? target : NULL;
}

static bool lower_rule(struct lowering *lowering, struct chain *chain,
		       const struct statement *before, size_t before_count, const struct rule *rule)
{
	struct statement flat[STATEMENTS_MAX];
	size_t count = before_count;

	if (is_pointless(lowering, rule))
		return true;
	if (before_count + rule->count > STATEMENTS_MAX) {
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
	if (lowering->kernel->plain && !before_count && accepting_target(lowering, rule) &&
	    !chain->base)
		return true; /* it stands in the base chain, in front */
	statements_sort(flat, count);
	if (count_actions(flat, count) == 2 && flat[count - 2].kind == SET_CT_MARK &&
	    flat[count - 1].kind == ACCEPT) {
		lowering->allowed = true;
		flat[count - 2] = go_to(XT_CHAIN_ALLOWED);
		count--;
	}
	return ruleset_expand(lowering->from, lowering->kernel, flat, count, chain, lowering->err);
}

/*
 * The rules to which a user is led by loopback, `way` being "oifname lo ip daddr 127.0.0.0/8 goto
 * loopback": those that refuse, of this user; or those that accept, of everybody.
 */
static bool write_way(struct lowering *lowering, struct chain *chain, const struct rule *for_user,
		      const struct rule *way, bool accepting)
{
	const struct chain *loopback = accepting_target(lowering, way);
	struct statement before[STATEMENTS_MAX];
	size_t count = way->count - 1, user_count = accepting ? 0 : for_user->count - 1;

	if (count + user_count > STATEMENTS_MAX) {
		err_set(lowering->err, "chain %s: a rule is longer than xtables can hold",
			chain->name);
		return false;
	}
	memcpy(before, way->statements, count * sizeof(*before));
	memcpy(before + count, for_user->statements, user_count * sizeof(*before));
	for (size_t i = 0; i < loopback->count; i++)
		if (has(&loopback->rules[i], ACCEPT) == accepting &&
		    !lower_rule(lowering, chain, before, count + user_count, &loopback->rules[i]))
			return false;
	return true;
}

static bool write_ways(struct lowering *lowering, struct chain *chain, const struct rule *for_user,
		       bool accepting)
{
	const struct chain *confined = target_of(lowering, for_user);

	for (size_t i = 0; confined && i < confined->count; i++)
		if (accepting_target(lowering, &confined->rules[i]) &&
		    !write_way(lowering, chain, for_user, &confined->rules[i], accepting))
			return false;
	return true;
}

/* What is refused of any user comes before what is accepted of everybody. */
static bool write_loopback(struct lowering *lowering, struct chain *chain, const struct chain *from)
{
	const struct chain *last = NULL;

	for (size_t i = 0; i < from->count; i++)
		if (!write_ways(lowering, chain, &from->rules[i], false))
			return false;
	for (size_t i = 0; i < from->count; i++) {
		const struct chain *confined = target_of(lowering, &from->rules[i]);

		if (confined && confined != last &&
		    !write_ways(lowering, chain, &from->rules[i], true))
			return false;
		last = confined;
	}
	return true;
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
	if (from->base && lowering->kernel->plain && !write_loopback(lowering, chain, from))
		return false;
	for (size_t i = 0; i < from->count; i++)
		if (!lower_rule(lowering, chain, NULL, 0, &from->rules[i]))
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
