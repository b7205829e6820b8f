/* ruleset_narrow.c: the part of an inet ruleset that is about one family. */
#include "plan/ruleset_build.h"

#include "plan/ruleset_parts.h"

#include <stdio.h>

/* Whether packets of the family can match the statement. */
static bool concerns(const struct statement *statement, enum family family)
{
	enum operand operand = statement_operand(statement->kind);

	if (operand == OPERAND_PREFIX)
		return statement->prefix.address.family == family;
	if (operand == OPERAND_ADDRESS_SET)
		return statement->family == family;
	if (statement->kind == MATCH_ICMP_TYPE || statement->kind == MATCH_IP_PROTOCOL)
		return family == FAMILY_IPV4;
	if (statement->kind == MATCH_ICMPV6_TYPE || statement->kind == MATCH_GROUP_REPORT)
		return family == FAMILY_IPV6;
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
	struct chain *chain = ruleset_add_chain_like(ret, from);

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
