/* ruleset_expand.h: one rule with lists and sets as rules with one value each. */
#ifndef EGRESSFW_PLAN_RULESET_EXPAND_H
#define EGRESSFW_PLAN_RULESET_EXPAND_H

#include "plan/ruleset_lower.h"

/*
 * Adds to the chain the rules that together are what these statements are, one for each
 * combination of their values; the sets are looked up in `from`. Two destinations become the
 * narrower one; where they have nothing in common there is no rule. False: a statement that one
 * entry of xtables cannot say, or too many rules.
 */
bool ruleset_expand(const struct ruleset *from, const struct xt_kernel *kernel,
		    const struct statement *statements, size_t count, struct chain *chain,
		    struct err *err);

#endif
