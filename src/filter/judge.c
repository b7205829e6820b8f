/* judge.c: what the policy says about a request that came to the filter; pure. */
#include "filter/judge.h"

#include "policy/literal.h"

#include <string.h>

static bool covers(const struct destination *destination, const struct target *target)
{
	struct prefix prefix;

	if (!destination_has_port(destination, target->port))
		return false;
	if (destination->kind != DESTINATION_PREFIX)
		return !strcmp(destination->name, target->host);
	prefix = destination_prefix(destination);
	return !target->host[0] && prefix_contains(&prefix, &target->address);
}

/* A lane is one name or one address with one port. */
static bool is_lane(const struct policy *policy, const struct target *target)
{
	for (size_t i = 0; policy->allow_model_endpoint && i < policy->model_endpoints.count; i++)
		if (covers(&policy->model_endpoints.items[i], target))
			return true;
	return false;
}

/*
 * connect(2) takes the unspecified addresses for this host's own, and leads from a v4-mapped one to
 * the IPv4 address, which nobody has judged. No list means these, however wide it is.
 */
static bool leads_elsewhere(const struct address *address)
{
	static const struct prefix prefixes[] = {
		{ { FAMILY_IPV4, { 0 } }, 32 },
		{ { FAMILY_IPV6, { 0 } }, 128 },
		{ { FAMILY_IPV6, { [10] = 0xff, 0xff } }, 96 },
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (prefix_contains(&prefixes[i], address))
			return true;
	return false;
}

void judge(const struct policy *policy, const struct target *target, struct decision *ret)
{
	if (!target->host[0] && literal_is_loopback(&target->address)) {
		decision_block(ret, LAYER_PROXY, "loopback",
			       "the filter connects to nothing on loopback");
		return;
	}
	if (!target->host[0] && leads_elsewhere(&target->address)) {
		decision_block(ret, LAYER_PROXY, "special-purpose",
			       "the address stands for another one");
		return;
	}
	decide(policy, target, ret);
	/* The kernel has not judged this: the filter does. */
	if (ret->layer == LAYER_KERNEL)
		ret->layer = LAYER_PROXY;
	if (ret->verdict == VERDICT_INSPECT) {
		ret->verdict = VERDICT_BLOCK;
		ret->reason = "only the path can tell, and it cannot be seen";
	}
}

static bool is_in(const struct prefixes *prefixes, const struct address *address)
{
	for (size_t i = 0; i < prefixes->count; i++)
		if (prefix_contains(&prefixes->items[i], address))
			return true;
	return false;
}

/* A name that leads to a blocked address is blocked, but for a lane. */
static bool judge_blocklist(const struct policy *policy, const struct target *target,
			    const struct address *address, struct decision *ret)
{
	const struct target literal = { .address = *address, .port = target->port };
	struct decision decision;

	if (policy->mode != MODE_BLOCKLIST || is_lane(policy, target) ||
	    literal_is_loopback(address))
		return true;
	decide(policy, &literal, &decision);
	if (decision.verdict == VERDICT_ALLOW)
		return true;
	*ret = decision;
	ret->verdict = VERDICT_BLOCK;
	ret->layer = LAYER_DNS;
	ret->reason = "the name leads to a blocked address";
	return false;
}

bool judge_address(const struct policy *policy, const struct target *target,
		   const struct address *address, struct decision *ret)
{
	const struct target literal = { .address = *address, .port = target->port };

	if (leads_elsewhere(address)) {
		decision_block(ret, LAYER_DNS, "special-purpose",
			       "the name leads to an address that stands for another one");
		return false;
	}
	if (address_special(address) && !is_in(&policy->allow_private, address)) {
		for (size_t i = 0; i < policy->allowed_hosts.count; i++)
			if (covers(&policy->allowed_hosts.items[i], &literal))
				return true;
		decision_block(
			ret, LAYER_DNS, "special-purpose",
			"the name leads to a special-purpose address that is not in allow_private");
		return false;
	}
	return judge_blocklist(policy, target, address, ret);
}
