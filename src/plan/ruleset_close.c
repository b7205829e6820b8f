/* ruleset_close.c: what stands, with some more users closed in: the first commit of an apply. */
#include "plan/ruleset_build.h"

#include "base/memory.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <string.h>

/*
 * Theory of operation. Nobody who is confined already may be let out or cut off by this step, so
 * what stands is kept as it is. The new users get a set and chains of their own in front of it,
 * which are those of the deny-all ruleset under other names: the standing ones may come from a
 * policy with other loopback ports, or from a kernel with another opinion of the log statement.
 * Closing twice adds up: whoever an apply closed and then left so stays closed.
 */

static const struct {
	const char *name, *closing;
} renamed[] = {
	{ CHAIN_CONFINED, CHAIN_CLOSING },
	{ CHAIN_LOOPBACK, CHAIN_CLOSING_LOOPBACK },
	{ CHAIN_REFUSE, CHAIN_CLOSING_REFUSE },
};
enum { RENAMED = sizeof(renamed) / sizeof(*renamed) };

static bool has_foreign(const struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++) {
			const struct rule *rule = &ruleset->chains[i].rules[j];

			for (size_t k = 0; k < rule->count; k++)
				if (rule->statements[k].kind == FOREIGN)
					return true;
		}
	return false;
}

/* Whether a copy of it would be the same thing, with a place for our rule. */
static bool can_be_kept(const struct ruleset *standing, const struct ruleset *deny_all)
{
	const struct chain *output = ruleset_find_chain(standing, CHAIN_OUTPUT);
	const struct chain *post = ruleset_find_chain(standing, CHAIN_POSTROUTING);

	return standing->family == deny_all->family && output && output->base &&
	       output->hook == HOOK_OUTPUT &&
	       (!post || (post->base && post->hook == HOOK_POSTROUTING)) && !has_foreign(standing);
}

static bool tracks(const struct ruleset *ruleset)
{
	return ruleset_find_chain(ruleset, CHAIN_OWNERLESS);
}

static void add_set_users(struct keyset *keys, const struct ruleset *ruleset, const char *name)
{
	const struct set *set = ruleset_find_set(ruleset, name);

	if (!set || set->type != SET_UID)
		return;
	for (size_t i = 0; i < set->keys.count; i++)
		keyset_add_interval(keys, keyset_first(&set->keys, i), keyset_last(&set->keys, i));
}

struct rangeset ruleset_confined(const struct ruleset *ruleset)
{
	struct keyset keys = keyset_new(set_type_width(SET_UID), true);
	struct rangeset users;

	add_set_users(&keys, ruleset, SET_CONFINED);
	add_set_users(&keys, ruleset, SET_CLOSING);
	keyset_seal(&keys);
	users = uid_ranges(&keys);
	keyset_free(&keys);
	return users;
}

/* Whether a rule of the deny-all ruleset is for the confined users, by their set or by a range. */
static bool is_for_confined(const struct rule *rule)
{
	return rule->statements[0].kind == MATCH_USER || rule->statements[0].kind == MATCH_USER_IN;
}

/* Rules for several ranges are the same but for the range, and stand together. */
static bool repeats_for_users(const struct chain *chain, size_t index)
{
	const struct rule *rule = &chain->rules[index], *before;

	if (!index)
		return false;
	before = rule - 1;
	if (!is_for_confined(before) || rule->count != before->count)
		return false;
	for (size_t i = 1; i < rule->count; i++)
		if (!statement_equal(&rule->statements[i], &before->statements[i]))
			return false;
	return true;
}

/* A chain of the deny-all ruleset, for these users in place of its own. */
static void add_chain_for(struct ruleset *ret, const struct chain *from,
			  const struct rangeset *users)
{
	struct chain *chain = ruleset_add_chain_like(ret, from);

	for (size_t i = 0; i < from->count; i++) {
		const struct rule *rule = &from->rules[i];

		if (!is_for_confined(rule))
			chain_copy_rule(chain, rule);
		else if (!repeats_for_users(from, i))
			add_user_rules(chain, users, rule->statements + 1, rule->count - 1);
	}
}

/* The deny-all ruleset for its own users and all that the standing one confines. */
static void replace(const struct ruleset *standing, const struct ruleset *deny_all,
		    struct ruleset *ret)
{
	struct set *confined = ruleset_add_set(ret, SET_CONFINED, SET_UID, true);
	struct rangeset users;

	add_set_users(&confined->keys, deny_all, SET_CONFINED);
	add_set_users(&confined->keys, standing, SET_CONFINED);
	add_set_users(&confined->keys, standing, SET_CLOSING);
	keyset_seal(&confined->keys);
	users = uid_ranges(&confined->keys);
	for (size_t i = 0; i < deny_all->chain_count; i++)
		add_chain_for(ret, &deny_all->chains[i], &users);
	rangeset_free(&users);
}

static bool is_closing_chain(const char *name)
{
	for (size_t i = 0; i < RENAMED; i++)
		if (!strcmp(name, renamed[i].closing))
			return true;
	return false;
}

static bool is_about(const struct rule *rule, const char *user_set)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->statements[i].kind == MATCH_USER_IN &&
		    !strcmp(rule->statements[i].name, user_set))
			return true;
	return false;
}

/* A chain of the deny-all ruleset under its closing name, and its gotos with it. */
static void add_closing_chain(struct ruleset *ret, const struct ruleset *deny_all, size_t index,
			      bool clear_mark)
{
	const struct chain *from = ruleset_find_chain(deny_all, renamed[index].name);
	struct chain *chain = ruleset_add_chain(ret, renamed[index].closing);

	if (clear_mark) /* ct mark set ct mark and 0xbfffffff */
		ADD_RULE(chain, plain(CLEAR_CT_MARK));
	for (size_t i = 0; from && i < from->count; i++) {
		struct rule *rule;

		chain_copy_rule(chain, &from->rules[i]);
		rule = &chain->rules[chain->count - 1];
		for (size_t j = 0; j < rule->count; j++)
			for (size_t k = 0; k < RENAMED && rule->statements[j].kind == GOTO; k++)
				if (!strcmp(rule->statements[j].name, renamed[k].name)) {
					rule->statements[j] = go_to(renamed[k].closing);
					break;
				}
	}
}

/* The rules of an output chain about everybody else: those that mark. */
static void append_tracking(struct chain *output, const struct chain *from)
{
	for (size_t i = 0; i < from->count; i++)
		if (!is_for_confined(&from->rules[i]))
			chain_copy_rule(output, &from->rules[i]);
}

/* The rules of the deny-all ruleset about its users, for those who are closed in. */
static void add_closing_rules(struct chain *chain, const struct chain *from)
{
	for (size_t i = 0; from && i < from->count; i++) {
		if (!is_for_confined(&from->rules[i]) || repeats_for_users(from, i))
			continue;
		chain_copy_rule(chain, &from->rules[i]);
		chain->rules[chain->count - 1].statements[0] = user_in(SET_CLOSING);
	}
}

static bool is_about_filter(const struct rule *rule)
{
	return rule_leads_to(rule, CHAIN_CLIENTS) || rule_leads_to(rule, CHAIN_SHUT) ||
	       rule_leads_to(rule, CHAIN_HELD);
}

static void add_standing_chain(struct ruleset *ret, const struct ruleset *deny_all,
			       const struct chain *from)
{
	struct chain *chain = ruleset_add_chain_like(ret, from);
	size_t leading = 0;

	/* Whoever is closed in is no client of the standing filter: that comes before. */
	while (leading < from->count && is_about_filter(&from->rules[leading]))
		chain_copy_rule(chain, &from->rules[leading++]);
	/* meta skuid @closing goto closing */
	if (!strcmp(from->name, CHAIN_OUTPUT))
		ADD_RULE(chain, user_in(SET_CLOSING), go_to(CHAIN_CLOSING));
	/* meta skuid @closing oifname != "lo" counter drop */
	if (!strcmp(from->name, CHAIN_POSTROUTING))
		add_closing_rules(chain, ruleset_find_chain(deny_all, CHAIN_POSTROUTING));
	for (size_t i = leading; i < from->count; i++)
		if (!is_about(&from->rules[i], SET_CLOSING))
			chain_copy_rule(chain, &from->rules[i]);
}

/*
 * What the deny-all ruleset has and the standing one lacks: its marks and its chain for ownerless
 * packets, where only the new policy has them; the hooks of packets whose route changed.
 */
static void add_missing(struct ruleset *ret, const struct ruleset *deny_all)
{
	static const struct chain postrouting = {
		.name = CHAIN_POSTROUTING,
		.base = true,
		.hook = HOOK_POSTROUTING,
		.priority = PRIORITY_POSTROUTING,
	};
	const struct chain *forward = ruleset_find_chain(deny_all, CHAIN_FORWARD),
			   *input = ruleset_find_chain(deny_all, CHAIN_INPUT);

	if (tracks(deny_all) && !tracks(ret)) {
		for (size_t i = 0; i < ret->chain_count; i++)
			if (!strcmp(ret->chains[i].name, CHAIN_OUTPUT))
				append_tracking(&ret->chains[i],
						ruleset_find_chain(deny_all, CHAIN_OUTPUT));
		ruleset_copy_chain(ret, ruleset_find_chain(deny_all, CHAIN_OWNERLESS));
	}
	if (!ruleset_find_chain(ret, CHAIN_POSTROUTING))
		add_standing_chain(ret, deny_all, &postrouting);
	if (forward && !ruleset_find_chain(ret, CHAIN_FORWARD))
		ruleset_copy_chain(ret, forward);
	if (input && !ruleset_find_chain(ret, CHAIN_INPUT))
		ruleset_copy_chain(ret, input);
}

static void close_besides(const struct ruleset *standing, const struct ruleset *deny_all,
			  const struct rangeset *closing, struct ruleset *ret)
{
	bool clears = tracks(deny_all);
	struct set *set;

	for (size_t i = 0; i < standing->set_count; i++)
		if (strcmp(standing->sets[i].name, SET_CLOSING) != 0)
			ruleset_copy_set(ret, &standing->sets[i]);
	set = ruleset_add_set(ret, SET_CLOSING, SET_UID, true);
	add_uid_ranges(&set->keys, closing);
	add_set_users(&set->keys, standing, SET_CLOSING);
	keyset_seal(&set->keys);
	for (size_t i = 0; i < standing->chain_count; i++)
		if (!is_closing_chain(standing->chains[i].name))
			add_standing_chain(ret, deny_all, &standing->chains[i]);
	add_missing(ret, deny_all);
	/* Connections of these users may be marked from the time when they were everybody else. */
	for (size_t i = 0; i < RENAMED; i++)
		add_closing_chain(ret, deny_all, i,
				  tracks(standing) && !clears &&
					  !strcmp(renamed[i].name, CHAIN_REFUSE));
}

void ruleset_close(const struct ruleset *standing, const struct ruleset *deny_all,
		   const struct rangeset *closing, struct ruleset *ret)
{
	struct ruleset ruleset = { .family = deny_all->family };

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", deny_all->table);
	if (can_be_kept(standing, deny_all))
		close_besides(standing, deny_all, closing, &ruleset);
	else
		replace(standing, deny_all, &ruleset);
	ruleset_sign(&ruleset);
	*ret = ruleset;
}
