/* decide_rows.h: a policy, targets, and the decisions that must come out. */
#ifndef EGRESSFW_TESTS_DECIDE_ROWS_H
#define EGRESSFW_TESTS_DECIDE_ROWS_H

#include "policy/decide.h"

#include "suite.h"

#include <string.h>

struct row {
	const char *target;
	enum verdict verdict;
	enum layer layer;
	const char *rule;
};

static inline struct policy policy_of(const char *text)
{
	struct policy policy;
	struct err err;

	ck_assert_msg(policy_parse(text, strlen(text), &policy, &err), "%s: %s", text, err.text);
	return policy;
}

static inline void check_rows(const char *text, const struct row *rows, size_t count)
{
	struct policy policy = policy_of(text);

	for (size_t i = 0; i < count; i++) {
		struct decision decision;
		struct target target;
		struct err err;

		ck_assert_msg(target_parse(rows[i].target, &target, &err), "%s: %s", rows[i].target,
			      err.text);
		decide(&policy, &target, &decision);
		ck_assert_msg(decision.verdict == rows[i].verdict &&
				      decision.layer == rows[i].layer &&
				      !strcmp(decision.rule, rows[i].rule),
			      "%s: %s by %s in %s, which %s", rows[i].target,
			      verdict_name(decision.verdict), decision.rule,
			      layer_name(decision.layer), decision.reason);
		ck_assert_uint_gt(strlen(decision.reason), 0);
		target_free(&target);
	}
	policy_free(&policy);
}

#define A VERDICT_ALLOW
#define B VERDICT_BLOCK
#define I VERDICT_INSPECT
#define K LAYER_KERNEL
#define P LAYER_PROXY

#endif
