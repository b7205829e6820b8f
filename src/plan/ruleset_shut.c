/* ruleset_shut.c: what stands, while a filter is started whose rules are yet to come. */
#include "plan/ruleset_build.h"

#include "plan/ruleset_parts.h"

#include <string.h>

/*
 * Theory of operation. A filter decides by its policy from when it listens, and the rules of that
 * policy come after, since they must not point at nobody. Till then what stands is another
 * policy's, or none's, and so are those whom its chain "clients" lets in; and nothing holds the
 * filter to what it needs. So in front of all else nobody but root reaches where it is going to
 * listen, and whoever has its uid sends answers from there and nothing besides.
 */

static bool is_shutting(const char *chain)
{
	return !strcmp(chain, CHAIN_SHUT) || !strcmp(chain, CHAIN_HELD);
}

/* The rules in front of a chain "output". */
static void add_leading(struct chain *output, const struct filter_plan *filter)
{
	/* meta skuid 65528 goto held */
	ADD_RULE(output, user(&(struct range){ filter->uid, filter->uid }), go_to(CHAIN_HELD));
	/* ip daddr 127.0.0.1 tcp dport 3128 goto shut */
	for (size_t i = 0; i < filter->listen.count; i++)
		ruleset_lead_from(output, &filter->listen.items[i], CHAIN_SHUT);
}

static void copy_chain(struct ruleset *ret, const struct chain *from,
		       const struct filter_plan *filter)
{
	struct chain *chain = ruleset_add_chain_like(ret, from);

	if (!strcmp(from->name, CHAIN_OUTPUT))
		add_leading(chain, filter);
	for (size_t i = 0; i < from->count; i++)
		if (!rule_leads_to(&from->rules[i], CHAIN_SHUT) &&
		    !rule_leads_to(&from->rules[i], CHAIN_HELD))
			chain_copy_rule(chain, &from->rules[i]);
}

static void add_held(struct ruleset *ruleset, const struct filter_plan *filter)
{
	struct chain *chain = ruleset_add_chain(ruleset, CHAIN_HELD);

	for (size_t i = 0; i < filter->listen.count; i++)
		ruleset_add_replies(chain, &filter->listen.items[i]);
	/* goto refuse */
	ADD_RULE(chain, go_to(CHAIN_REFUSE));
}

void ruleset_shut_filter(const struct ruleset *standing, const struct filter_plan *filter,
			 struct ruleset *ret)
{
	const struct rangeset nobody = { 0 };
	struct ruleset ruleset = { .family = standing->family, .flags = standing->flags };

	memcpy(ruleset.table, standing->table, sizeof(ruleset.table));
	for (size_t i = 0; i < standing->set_count; i++)
		ruleset_copy_set(&ruleset, &standing->sets[i]);
	for (size_t i = 0; i < standing->chain_count; i++)
		if (!is_shutting(standing->chains[i].name))
			copy_chain(&ruleset, &standing->chains[i], filter);
	ruleset_add_clients(&ruleset, CHAIN_SHUT, &nobody);
	add_held(&ruleset, filter);
	ruleset_sign(&ruleset);
	*ret = ruleset;
}
