/* plan.h: everything an apply will write, complete before the first write. */
#ifndef EGRESSFW_PLAN_PLAN_H
#define EGRESSFW_PLAN_PLAN_H

#include "plan/filter_plan.h"
#include "plan/hosts_block.h"
#include "plan/named_users.h"
#include "plan/probe.h"
#include "plan/resolved.h"
#include "plan/ruleset.h"
#include "policy/policy.h"

/* Of --name: letters, digits, hyphens; not beginning with a hyphen. */
enum { INSTANCE_NAME_MAX = 32, HOSTS_PATH_MAX = 255 };

struct plan_request {
	const struct policy *policy; /* not public */
	const struct resolved *resolved;
	const struct rangeset *confined;
	const struct named_users *names; /* NULL: the policy names nobody */
	/* As the first uid of each of these ranges is probed; NULL: of the confined ones. */
	const struct rangeset *probed;
	const char *instance; /* "" or N of --name */
	bool log;             /* the kernel takes the log statement */
	bool ipv6;            /* IPv6 is up in this network namespace */
	bool hosts;           /* write the hosts block; false leaves it empty */
	/* Where our lines are; absolute, at most HOSTS_PATH_MAX; NULL: nowhere. */
	const char *hosts_file;
	const struct filter_plan
		*filter; /* where the policy needs the filter; else not looked at */
};

struct plan {
	char instance[INSTANCE_NAME_MAX + 1];
	struct rangeset confined;
	struct named_users names; /* of the policy */
	struct ruleset ruleset;
	struct hosts_block hosts;
	char hosts_file[HOSTS_PATH_MAX + 1]; /* "": no line of ours was ever written to one */
	bool hosts_left;                     /* no hosts file was to be touched (--no-hosts) */
	struct probes probes;
	bool filtered;
	struct filter_plan filter; /* where `filtered` */
};

/* "egressfw" or "egressfw-N", into a buffer of RULESET_NAME_SIZE. */
void plan_table_name(const char *instance, char ret[RULESET_NAME_SIZE]);
bool plan_instance_is_valid(const char *instance);

/* The instance of which a table of that name would be, "" or N; NULL: of none. */
const char *plan_table_instance(const char *table);

bool plan_build(const struct plan_request *request, struct plan *ret, struct err *err);
void plan_free(struct plan *plan);

/*
 * The plan as bytes for the state directory and back; magic, version, and digests over
 * all of it, so that a torn file is known. Reading takes the bytes as untrusted.
 */
void plan_encode(const struct plan *plan, struct buffer *out);
bool plan_decode(const void *bytes, size_t length, struct plan *ret, struct err *err);

/*
 * Whether a policy that was parsed can be enforced by this version: one sentence about what cannot,
 * else true.
 */
bool plan_can_enforce(const struct policy *policy, struct err *err);

/*
 * Whether no target of the canary is one that the policy allows; resolved may be NULL: names are
 * not looked at.
 */
bool plan_check_canary(const struct policy *policy, const struct resolved *resolved,
		       struct err *err);

#endif
