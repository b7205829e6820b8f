/* ruleset_shared.h: whom two rulesets confine, and a filter that leads past one of them. */
#ifndef EGRESSFW_PLAN_RULESET_SHARED_H
#define EGRESSFW_PLAN_RULESET_SHARED_H

#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* The uids that both confine, or close in. */
struct rangeset ruleset_shared_users(const struct ruleset *one, const struct ruleset *other);

/* Who reaches a filter, and where it listens; .place.port 0: nobody can tell where. */
struct reached_filter {
	uint32_t uid;
	struct address_port place;
};

/*
 * Two rulesets at the same hook are two walls, and a packet has to pass both. A filter is a gate in
 * the first of them, and what it fetches passes no wall of the user's. So whom both confine reaches
 * by it what the second one forbids, unless that one refuses him the way to the filter. False:
 * `filtered` has no filter, or `other` lets none of these users reach it. A ruleset that is not
 * intact lets everybody.
 */
bool ruleset_reaches_filter(const struct ruleset *other, const struct rangeset *users,
			    const struct ruleset *filtered, struct reached_filter *ret);

#endif
