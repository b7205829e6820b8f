/* decide.h: may this host, port and path be reached under the policy, and which rule says so. */
#ifndef EGRESSFW_POLICY_DECIDE_H
#define EGRESSFW_POLICY_DECIDE_H

#include "policy/policy.h"
#include "policy/url.h"

enum verdict { VERDICT_ALLOW, VERDICT_BLOCK, VERDICT_INSPECT };
enum layer { LAYER_KERNEL, LAYER_DNS, LAYER_PROXY, LAYER_TLS, LAYER_HTTP };

struct decision {
	enum verdict verdict;
	enum layer layer;   /* where the decision takes effect */
	char rule[320];     /* "allowed_hosts[2] \"example.com\"", "default", ... */
	const char *reason; /* a short constant sentence */
};

/* Sets a block that no entry of the policy has caused. Copies `rule`; `reason` is a constant. */
void decision_block(struct decision *ret, enum layer layer, const char *rule, const char *reason);

const char *verdict_name(enum verdict verdict);
const char *layer_name(enum layer layer);

/*
 * Decides for a confined user. Pure. Lanes come before everything else; loopback addresses are
 * judged by `loopback` otherwise. VERDICT_INSPECT: a path rule exists for the host and target->path
 * is NULL. Whether an address is this host's own cannot be known here, nor which addresses a name
 * has: a name that is not listed is blocked, although one of its addresses may be.
 */
void decide(const struct policy *policy, const struct target *target, struct decision *ret);

#endif
