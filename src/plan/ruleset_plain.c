/* ruleset_plain.c: a ruleset for gVisor's tables, which have jumps alone and little room. */
#include "plan/ruleset_plain.h"

#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <string.h>

/*
 * Theory of operation. A jump leaves a way back, so that what a chain accepts returns to the chain
 * that jumped there, and must find nothing more to be judged by. And gVisor drops what has no owner
 * as soon as a rule asks for one: the answers of the kernel itself and of its listeners. So
 * "output" has loopback first, written out: what might be refused there goes to "users", all else
 * is accepted of everybody, whom no rule of ours would have stopped. What is left goes to "users"
 * too, which asks whose it is, and jumps to "confined". With a list of loopback ports that is all
 * the rest of loopback as well.
 */
enum { STATEMENTS_MAX = 2 * RULE_STATEMENTS_MAX };

static const struct statement *verdict_of(const struct rule *rule)
{
	return &rule->statements[rule->count - 1];
}

static const struct chain *target_of(const struct ruleset *ruleset, const struct rule *rule)
{
	const struct statement *verdict = verdict_of(rule);

	return verdict->kind == GOTO ? ruleset_find_chain(ruleset, verdict->name) : NULL;
}

static bool chain_accepts(const struct chain *chain)
{
	for (size_t i = 0; chain && i < chain->count; i++)
		if (verdict_of(&chain->rules[i])->kind == ACCEPT)
			return true;
	return false;
}

static bool is_for_user(const struct rule *rule)
{
	return (rule->statements[0].kind == MATCH_USER ||
		rule->statements[0].kind == MATCH_USER_IN) &&
	       rule->count == 2 && verdict_of(rule)->kind == GOTO;
}

static bool is_answer(const struct rule *rule)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->statements[i].kind == MATCH_CT_REPLY && !rule->statements[i].negate)
			return true;
	return false;
}

/* Adds a rule unless the chain has it; the statements are copied. */
static void add_once(struct chain *chain, const struct statement *statements, size_t count)
{
	const struct rule rule = { .statements = (struct statement *)statements, .count = count };

	for (size_t i = 0; i < chain->count; i++)
		if (rule_equal(&chain->rules[i], &rule))
			return;
	chain_copy_rule(chain, &rule);
}

/*
 * One rule of a chain to which a packet is led by `way`, "oifname lo ip daddr 127.0.0.0/8 goto
 * loopback". Nothing here tells directions: a port that is open for what a user begins is open for
 * its answers too, and a rule that is about answers alone has to be left out.
 */
static void add_on_way(struct chain *output, const struct rule *way, const struct rule *rule)
{
	bool accepting = verdict_of(rule)->kind == ACCEPT;
	struct statement statements[STATEMENTS_MAX];
	size_t count = way->count - 1;

	if (count + rule->count > STATEMENTS_MAX || (accepting && is_answer(rule)))
		return;
	memcpy(statements, way->statements, count * sizeof(*statements));
	for (size_t i = 0; i < rule->count; i++)
		if (!accepting || rule->statements[i].kind != MATCH_CT_REPLY)
			statements[count++] = rule->statements[i];
	if (!accepting)
		statements[count - 1] = go_to(XT_CHAIN_USERS);
	add_once(output, statements, count);
}

/*
 * The rules that accept, or those that do not, which "users" has to judge. What is left in the end
 * of such a chain goes there in any case.
 */
static void add_way(struct chain *output, const struct chain *loopback, const struct rule *way,
		    bool accepting)
{
	for (size_t i = 0; i < loopback->count; i++) {
		const struct rule *rule = &loopback->rules[i];
		bool rest = i + 1 == loopback->count && rule->count == 1;

		if ((verdict_of(rule)->kind == ACCEPT) == accepting && (accepting || !rest))
			add_on_way(output, way, rule);
	}
}

static void add_ways(const struct ruleset *from, const struct chain *users, struct chain *output,
		     bool accepting)
{
	for (size_t i = 0; i < users->count; i++) {
		const struct chain *confined =
			is_for_user(&users->rules[i]) ? target_of(from, &users->rules[i]) : NULL;

		for (size_t j = 0; confined && j < confined->count; j++) {
			const struct chain *loopback = target_of(from, &confined->rules[j]);

			if (chain_accepts(loopback))
				add_way(output, loopback, &confined->rules[j], accepting);
		}
	}
}

/* Without what leads to loopback, and without marks. */
static void add_confined(const struct ruleset *from, const struct chain *confined,
			 struct ruleset *ret)
{
	struct chain *chain = ruleset_add_chain(ret, confined->name);

	for (size_t i = 0; i < confined->count; i++) {
		const struct rule *rule = &confined->rules[i];
		struct statement statements[RULE_STATEMENTS_MAX];
		size_t count = 0;

		if (chain_accepts(target_of(from, rule)))
			continue;
		for (size_t j = 0; j < rule->count && count < RULE_STATEMENTS_MAX; j++)
			if (rule->statements[j].kind != SET_CT_MARK &&
			    rule->statements[j].kind != CLEAR_CT_MARK)
				statements[count++] = rule->statements[j];
		add_once(chain, statements, count);
	}
}

static bool is_refuse(const char *name)
{
	return !strcmp(name, CHAIN_REFUSE) || !strcmp(name, CHAIN_CLOSING_REFUSE);
}

static void add_users(const struct ruleset *from, const struct chain *output, struct ruleset *ret)
{
	struct chain *users = ruleset_add_chain(ret, XT_CHAIN_USERS);

	for (size_t i = 0; i < output->count; i++)
		if (is_for_user(&output->rules[i]))
			chain_copy_rule(users, &output->rules[i]);
	for (size_t i = 0; i < from->chain_count; i++) {
		const char *name = from->chains[i].name;

		if (is_refuse(name))
			ADD_RULE(ruleset_add_chain(ret, name), plain(DROP)); /* drop */
		else if (!strcmp(name, CHAIN_CONFINED) || !strcmp(name, CHAIN_CLOSING))
			add_confined(from, &from->chains[i], ret);
	}
}

void ruleset_plain(const struct ruleset *from, struct ruleset *ret)
{
	const struct chain *all = ruleset_find_chain(from, CHAIN_OUTPUT);
	struct ruleset ruleset = { .family = from->family };
	struct chain *output = ruleset_add_chain(&ruleset, CHAIN_OUTPUT);

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", from->table);
	for (size_t i = 0; i < from->set_count; i++)
		ruleset_copy_set(&ruleset, &from->sets[i]);
	output->base = true;
	output->hook = HOOK_OUTPUT;
	if (all) {
		/* What may be refused of a user comes before what is accepted of everybody. */
		add_ways(from, all, output, false);
		add_ways(from, all, output, true);
		/* goto users */
		ADD_RULE(output, go_to(XT_CHAIN_USERS));
		add_users(from, all, &ruleset);
	}
	*ret = ruleset;
}
