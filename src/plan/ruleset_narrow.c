/* ruleset_narrow.c: the part of an inet ruleset that is about one family. */
#include "plan/ruleset_build.h"

#include "plan/ruleset_parts.h"

#include <stdio.h>

/* Whether packets of the family can match the statement. */
static bool concerns(const struct statement *statement, enum family family)
{
	switch (statement->kind) {
	case MATCH_DESTINATION:
	case MATCH_SOURCE:
		return statement->prefix.address.family == family;
	case MATCH_DESTINATION_IN:
		return statement->family == family;
	case MATCH_ICMP_TYPE:
	case MATCH_IP_PROTOCOL:
		return family == FAMILY_IPV4;
	case MATCH_ICMPV6_TYPE:
	case MATCH_GROUP_REPORT:
		return family == FAMILY_IPV6;
	case MATCH_USER_IN:
	case MATCH_USER:
	case MATCH_OWNED:
	case MATCH_OUT_LOOPBACK:
	case MATCH_IN_LOOPBACK:
	case MATCH_DESTINATION_LOCAL:
	case MATCH_SOURCE_LOCAL:
	case MATCH_PROTOCOL:
	case MATCH_PORTS:
	case MATCH_SOURCE_PORTS:
	case MATCH_TCP_FLAGS:
	case MATCH_CT_MARK:
	case MATCH_CT_PUBLISHED:
	case MATCH_CT_REPLY:
	case MATCH_CT_FIRST:
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
	case SET_CT_PUBLISHED:
	case COUNT:
	case LOG:
	case ACCEPT:
	case DROP:
	case GOTO:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
	case FOREIGN:
	case STATEMENT_KINDS:
		break;
	}
	return true;
}

static bool rule_concerns(const struct rule *rule, enum family family)
{
	for (size_t i = 0; i < rule->count; i++)
		if (!concerns(&rule->statements[i], family))
			return false;
	return true;
}

static void narrow_chain(struct ruleset *ret, const struct chain *from, enum family family)
{
	struct chain *chain = ruleset_add_chain(ret, from->name);

	chain->base = from->base;
	chain->hook = from->hook;
	chain->priority = from->priority;
	chain->policy_drop = from->policy_drop;
	for (size_t i = 0; i < from->count; i++)
		if (rule_concerns(&from->rules[i], family))
			chain_copy_rule(chain, &from->rules[i]);
}

void ruleset_narrow(const struct ruleset *inet, enum table_family family, struct ruleset *ret)
{
	enum family kept = family == TABLE_IP6 ? FAMILY_IPV6 : FAMILY_IPV4;
	enum set_type other = family == TABLE_IP6 ? SET_IPV4 : SET_IPV6;
	struct ruleset ruleset = { .family = family, .flags = inet->flags };

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", inet->table);
	for (size_t i = 0; i < inet->set_count; i++)
		if (inet->sets[i].type != other)
			ruleset_copy_set(&ruleset, &inet->sets[i]);
	for (size_t i = 0; i < inet->chain_count; i++)
		narrow_chain(&ruleset, &inet->chains[i], kept);
	ruleset_sign(&ruleset);
	*ret = ruleset;
}
