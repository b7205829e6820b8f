/* ruleset_compare_rules.h: the rules of one chain, as a person would say what was done to them. */
#ifndef EGRESSFW_PLAN_RULESET_COMPARE_RULES_H
#define EGRESSFW_PLAN_RULESET_COMPARE_RULES_H

#include "plan/finding.h"
#include "plan/ruleset.h"

/* Adds a finding per rule that is missing, extra, changed or moved. Rules count from 1. */
void compare_rules(const struct chain *wanted, const struct chain *found, enum table_family family,
		   struct findings *findings);

#endif
