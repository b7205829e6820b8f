/* ruleset_closed.c: whether a ruleset leaves its confined users loopback and nothing else. */
#include "plan/ruleset_build.h"

#include "plan/ruleset_parts.h"

#include <string.h>

/* What leads a confined user's packet on may lead it to loopback or to its end. */
static bool is_closed_rule(const struct rule *rule)
{
	const struct statement *last = rule->count ? &rule->statements[rule->count - 1] : NULL;

	return last && last->kind == GOTO &&
	       (!strcmp(last->name, CHAIN_LOOPBACK) || !strcmp(last->name, CHAIN_REFUSE));
}

bool ruleset_is_closed(const struct ruleset *ruleset)
{
	const struct chain *confined = ruleset_find_chain(ruleset, CHAIN_CONFINED);

	/* A table of one family does not tell of the other; through a filter a user goes on. */
	if (ruleset->family != TABLE_INET || !confined || !confined->count ||
	    ruleset_find_chain(ruleset, CHAIN_CLIENTS) || ruleset_find_chain(ruleset, CHAIN_GUARD))
		return false;
	for (size_t i = 0; i < confined->count; i++)
		if (!is_closed_rule(&confined->rules[i]))
			return false;
	return true;
}

struct rangeset ruleset_closing(const struct ruleset *ruleset)
{
	const struct set *set = ruleset_find_set(ruleset, SET_CLOSING);

	return set && set->type == SET_UID ? uid_ranges(&set->keys) : (struct rangeset){ 0 };
}
