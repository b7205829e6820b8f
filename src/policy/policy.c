/* policy.c: what a policy holds, its words, and its end. */
#include "policy/policy.h"

#include "policy/blocked_url.h"

#include <assert.h>
#include <stdlib.h>

const char *network_mode_name(enum network_mode mode)
{
	static const char *const names[] = {
		[MODE_PUBLIC] = "public",
		[MODE_NO_NETWORK] = "no-network",
		[MODE_ALLOWLIST] = "allowlist",
		[MODE_BLOCKLIST] = "blocklist",
	};
	static_assert(sizeof(names) / sizeof(*names) == MODE_BLOCKLIST + 1,
		      "a name for every mode");

	return names[mode];
}

const char *enforcement_name(enum enforcement enforcement)
{
	static const char *const names[] = {
		[ENFORCE_AUTO] = "auto",
		[ENFORCE_PIN] = "pin",
		[ENFORCE_FILTER] = "filter",
	};
	static_assert(sizeof(names) / sizeof(*names) == ENFORCE_FILTER + 1, "a name for every way");

	return names[enforcement];
}

const char *ownerless_name(enum ownerless ownerless)
{
	static const char *const names[] = { [OWNERLESS_DROP] = "drop", [OWNERLESS_PASS] = "pass" };
	static_assert(sizeof(names) / sizeof(*names) == OWNERLESS_PASS + 1,
		      "a name for every verdict");

	return names[ownerless];
}

static void free_user_specs(struct user_specs *specs)
{
	for (size_t i = 0; i < specs->count; i++)
		user_spec_free(&specs->items[i]);
	free(specs->items);
}

static void free_destinations(struct destinations *destinations)
{
	for (size_t i = 0; i < destinations->count; i++)
		if (destinations->items[i].kind != DESTINATION_PREFIX)
			free(destinations->items[i].name);
	free(destinations->items);
}

void policy_free(struct policy *policy)
{
	free_user_specs(&policy->users);
	free_user_specs(&policy->exempt_users);
	free_destinations(&policy->allowed_hosts);
	free_destinations(&policy->model_endpoints);
	for (size_t i = 0; i < policy->blocked_urls.count; i++)
		blocked_url_free(&policy->blocked_urls.items[i]);
	free(policy->blocked_urls.items);
	rangeset_free(&policy->loopback_ports);
	rangeset_free(&policy->published_ports);
	free(policy->canary.items);
	free(policy->allow_private.items);
	*policy = (struct policy){ 0 };
}

enum enforcement policy_enforcement(const struct policy *policy)
{
	if (policy->enforcement != ENFORCE_AUTO)
		return policy->enforcement;
	if (policy->mode == MODE_BLOCKLIST)
		return ENFORCE_FILTER;
	for (size_t i = 0; i < policy->allowed_hosts.count; i++)
		if (policy->allowed_hosts.items[i].kind == DESTINATION_WILDCARD)
			return ENFORCE_FILTER;
	return ENFORCE_PIN;
}
