/* repeated.h: finds the entries that a list of a policy has twice. */
#ifndef EGRESSFW_POLICY_REPEATED_H
#define EGRESSFW_POLICY_REPEATED_H

#include "policy/policy.h"

#include <jansson.h>

/* A list as it was written, all of it read into the policy; `array` is empty for a long list. */
struct entries {
	const json_t *array;
	size_t count;
	const struct policy *policy;
};

/* Some order of two entries of a list, given by their indices; 0 exactly if they are the same. */
typedef int entry_order(const struct entries *entries, size_t one, size_t other);

entry_order order_of_users, order_of_exempt_users, order_of_allowed_hosts, order_of_blocked_urls,
	order_of_model_endpoints, order_of_ports, order_of_canary, order_of_private;

/* The first entry that repeats an earlier one, and that one; false: all of them differ. */
bool repeated_find(const struct entries *entries, entry_order *order, size_t *ret_first,
		   size_t *ret_second);

#endif
