/* ruleset_build.h: from policy and addresses to the ruleset that enforces it. */
#ifndef EGRESSFW_PLAN_RULESET_BUILD_H
#define EGRESSFW_PLAN_RULESET_BUILD_H

#include "plan/filter_plan.h"
#include "plan/resolved.h"
#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>

struct ruleset_request {
	/* Not public. With enforcement filter nothing is pinned: the filter knows the names. */
	const struct policy *policy;
	/* NULL: nothing is pinned, no prefix opened, nothing answered: the deny-all ruleset. */
	const struct resolved *resolved;
	const struct rangeset *confined; /* uids, never 0; not empty */
	const char *table;               /* "egressfw" or "egressfw-N" */
	bool log;                        /* whether the kernel takes the log statement */
	/* Of enforcement filter; NULL otherwise. The deny-all ruleset has no chain for it. */
	const struct filter_plan *filter;
};

/*
 * Builds the ruleset with its digest as comment. The set "confined" has the uids, also where the
 * rules compare a few ranges by themselves. Addresses of destinations with the same list of
 * ports share one sized hash set per family (pin4_1, pin6_1, ...), prefixes one interval set each
 * (net4_1, net6_1, ...); repeated addresses merge. A name without addresses pins nothing. False:
 * the names have more addresses than the policy's limit, with both numbers. Literals do not count.
 */
bool ruleset_build(const struct ruleset_request *request, struct ruleset *ret, struct err *err);

/*
 * What stands, and closed besides for `closing`: a copy of `standing` in which the packets of
 * these uids go to chains that let them reach loopback as the deny-all ruleset does and nothing
 * else. Uids that an earlier call closed stay so. Both rulesets are of one family. Where nothing
 * stands, or what stands is not wholly ours (a FOREIGN statement, a missing output chain), the
 * result is the deny-all ruleset, for its own users and for all that stand confined.
 */
void ruleset_close(const struct ruleset *standing, const struct ruleset *deny_all,
		   const struct rangeset *closing, struct ruleset *ret);

/*
 * What stands, with a filter that is about to be started shut away until its own rules come: what
 * anybody but root sends to where it is going to listen is refused, also of those whom what stands
 * lets have a filter there, and all that the filter's uid sends but its answers from there. For a
 * ruleset with an output chain; one that is shut already may have been shut for another filter.
 */
void ruleset_shut_filter(const struct ruleset *standing, const struct filter_plan *filter,
			 struct ruleset *ret);

/* The confined uids of a ruleset of ours, and those closed besides; empty where there are none. */
struct rangeset ruleset_confined(const struct ruleset *ruleset);

/* Of them those closed besides, by ruleset_close(). */
struct rangeset ruleset_closing(const struct ruleset *ruleset);

/*
 * Whether these users have loopback and nothing else by it, as the deny-all ruleset leaves them: no
 * destination, no published port, no filter. Of a ruleset that is whole; false in case of doubt,
 * and of a table of one family.
 */
bool ruleset_is_closed(const struct ruleset *ruleset);

/* The part of an inet ruleset that is about one family, for kernels without inet. */
void ruleset_narrow(const struct ruleset *inet, enum table_family family, struct ruleset *ret);

/* The uid that the ruleset holds to what a filter needs; 0: it knows of no filter. */
uint32_t ruleset_filter_uid(const struct ruleset *ruleset);

/*
 * Where that filter listens, by the rules that say who may reach it; the caller frees the items.
 */
void ruleset_filter_places(const struct ruleset *ruleset, struct address_ports *ret);

#endif
