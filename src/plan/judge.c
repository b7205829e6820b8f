/* judge.c: what a ruleset does with a packet, in memory. */
#include "plan/judge_statement.h"

#include <netinet/in.h>

const char *judgement_name(enum judgement judgement)
{
	static const char *const names[] = {
		[JUDGED_ACCEPT] = "accept",
		[JUDGED_DROP] = "drop",
		[JUDGED_RESET] = "reset",
		[JUDGED_PROHIBITED] = "prohibited",
	};

	return names[judgement];
}

/* The verdict that the rule ends in, NULL where it did not match or has none. */
static const struct statement *judge_rule(struct journey *journey, const struct rule *rule)
{
	journey->protocol_matched = false;
	for (size_t i = 0; i < rule->count; i++) {
		enum step step = judge_statement(journey, &rule->statements[i]);

		if (step == STEP_BREAK)
			break;
		if (step == STEP_VERDICT)
			return &rule->statements[i];
	}
	return NULL;
}

static enum judgement judgement_of(enum statement_kind verdict, uint8_t protocol)
{
	if (verdict == ACCEPT)
		return JUDGED_ACCEPT;
	if (verdict == REJECT_PROHIBITED)
		return JUDGED_PROHIBITED;
	/* Nothing but TCP can be reset; the kernel then only drops. */
	return verdict == REJECT_RESET && protocol == IPPROTO_TCP ? JUDGED_RESET : JUDGED_DROP;
}

/* One base chain and where it leads. A goto does not come back: any chain ends in the policy. */
static enum judgement judge_chain(struct journey *journey, const struct chain *base,
				  const struct chain **ret_chain, size_t *ret_rule)
{
	const struct chain *chain = base;
	size_t rule = 0, jumps = 0;

	while (chain && rule < chain->count) {
		const struct statement *verdict = judge_rule(journey, &chain->rules[rule]);

		if (verdict && verdict->kind != GOTO) {
			*ret_chain = chain;
			*ret_rule = rule;
			return judgement_of(verdict->kind, journey->packet->protocol);
		}
		rule++;
		if (!verdict)
			continue;
		/* The kernel loads no loop; a value in memory may hold one. */
		if (++jumps > journey->ruleset->chain_count)
			break;
		chain = ruleset_find_chain(journey->ruleset, verdict->name);
		rule = 0;
	}
	*ret_chain = NULL;
	*ret_rule = 0;
	return base->policy_drop ? JUDGED_DROP : JUDGED_ACCEPT;
}

static bool sees(const struct ruleset *ruleset, const struct packet *packet)
{
	if (ruleset->flags & TABLE_FLAG_DORMANT)
		return false;
	return ruleset->family == TABLE_INET ||
	       (ruleset->family == TABLE_IP) == (packet->destination.family == FAMILY_IPV4);
}

/* The base chain of the hook that comes after `last` in order of priority, then of position. */
static const struct chain *next_base(const struct ruleset *ruleset, enum hook hook,
				     const struct chain *last)
{
	const struct chain *next = NULL;

	for (size_t i = 0; i < ruleset->chain_count; i++) {
		const struct chain *chain = &ruleset->chains[i];

		if (!chain->base || chain->hook != hook)
			continue;
		if (last && (chain->priority < last->priority ||
			     (chain->priority == last->priority && chain <= last)))
			continue;
		if (!next || chain->priority < next->priority)
			next = chain;
	}
	return next;
}

enum judgement judge(const struct ruleset *ruleset, enum hook hook, const struct packet *packet,
		     uint32_t *ret_mark, const struct chain **ret_chain, size_t *ret_rule)
{
	struct journey journey = { .ruleset = ruleset, .packet = packet, .mark = packet->mark };
	enum judgement judgement = JUDGED_ACCEPT;
	const struct chain *base = sees(ruleset, packet) ? next_base(ruleset, hook, NULL) : NULL;

	*ret_chain = NULL;
	*ret_rule = 0;
	for (; base && judgement == JUDGED_ACCEPT; base = next_base(ruleset, hook, base))
		judgement = judge_chain(&journey, base, ret_chain, ret_rule);
	*ret_mark = journey.mark;
	return judgement;
}

enum judgement judge_sent(const struct ruleset *ruleset, const struct packet *packet,
			  uint32_t *ret_mark)
{
	struct packet leaving = *packet;
	const struct chain *chain;
	size_t rule;
	enum judgement judgement =
		judge(ruleset, HOOK_OUTPUT, packet, &leaving.mark, &chain, &rule);

	if (judgement == JUDGED_ACCEPT)
		judgement =
			judge(ruleset, HOOK_POSTROUTING, &leaving, &leaving.mark, &chain, &rule);
	*ret_mark = leaving.mark;
	return judgement;
}
