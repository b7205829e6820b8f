/* ruleset_compare.h: every difference between the plan's ruleset and the kernel's. */
#ifndef EGRESSFW_PLAN_RULESET_COMPARE_H
#define EGRESSFW_PLAN_RULESET_COMPARE_H

#include "plan/finding.h"
#include "plan/ruleset.h"

/*
 * Adds one finding per difference: no such table (`found` is empty, or another table); table flags,
 * comment; set missing, extra, of another type; element missing or extra (the first
 * FINDINGS_PER_SET of a set one by one, then a count); chain missing, extra, of another hook,
 * priority or policy; rule missing, extra, changed or moved. No finding: they are the same.
 */
enum { FINDINGS_PER_SET = 16 };
void ruleset_compare(const struct ruleset *wanted, const struct ruleset *found,
		     struct findings *findings);

#endif
