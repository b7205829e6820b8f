/* kernel_rulesets.h: the rulesets that the kernel's tests commit, by name. */
#ifndef EGRESSFW_TESTS_KERNEL_RULESETS_H
#define EGRESSFW_TESTS_KERNEL_RULESETS_H

#include "plan/ruleset.h"

/*
 * "allowlist" and its like are the fixtures of tests/unit; "KIND:COUNT" is the allowlist with COUNT
 * generated elements in the set KIND_1 (pin4, pin6, net4, net6) or, for "all", in each of the four;
 * "FILE.json" is a policy with addresses only. Ends the process where there is no such ruleset.
 */
struct ruleset kernel_ruleset(const char *name);

#endif
