/* plan.c: everything an apply will write, put together from policy and addresses. */
#include "plan/plan.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"
#include "policy/blocked_url.h"

#include <stdio.h>
#include <string.h>

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool plan_instance_is_valid(const char *instance)
{
	size_t length = 0;

	for (; instance[length]; length++)
		if (length == INSTANCE_NAME_MAX || (!is_alphanumeric(instance[length]) &&
						    (instance[length] != '-' || length == 0)))
			return false;
	return length > 0;
}

void plan_table_name(const char *instance, char ret[RULESET_NAME_SIZE])
{
	snprintf(ret, RULESET_NAME_SIZE, "egressfw%s%.*s", *instance ? "-" : "", INSTANCE_NAME_MAX,
		 instance);
}

const char *plan_table_instance(const char *table)
{
	static const char ours[] = "egressfw";
	const char *rest = table + sizeof(ours) - 1;

	if (strncmp(table, ours, sizeof(ours) - 1) != 0)
		return NULL;
	if (!*rest)
		return rest;
	return *rest == '-' && plan_instance_is_valid(rest + 1) ? rest + 1 : NULL;
}

bool plan_can_enforce(const struct policy *policy, struct err *err)
{
	for (size_t i = 0; policy->mode == MODE_BLOCKLIST && i < policy->blocked_urls.count; i++) {
		const struct blocked_url *blocked = &policy->blocked_urls.items[i];

		if (blocked_url_is_whole(blocked))
			continue;
		err_set(err,
			"blocked_urls[%zu]: \"%s\" has a path, which only a filter that looks into "
			"connections could see, and this version does not",
			i, blocked->text);
		return false;
	}
	return true;
}

/* A canary target that the policy opens would report the policy as a leak. */
bool plan_check_canary(const struct policy *policy, const struct resolved *resolved,
		       struct err *err)
{
	const struct address_ports *canary = &policy->canary;

	for (size_t i = 0; i < canary->count; i++) {
		const struct address_port *target = &canary->items[i];
		char text[ADDRESS_TEXT_SIZE];

		if (!probe_target_is_allowed(policy, resolved, target))
			continue;
		err_set(err,
			"canary[%zu]: %s port %u is allowed by this policy, so it cannot show that "
			"anything is blocked",
			i, address_format(&target->address, text), target->port);
		return false;
	}
	return true;
}

bool plan_build(const struct plan_request *request, struct plan *ret, struct err *err)
{
	struct plan plan = {
		.filtered = policy_enforcement(request->policy) == ENFORCE_FILTER,
	};
	char table[RULESET_NAME_SIZE];
	struct ruleset_request ruleset_request = {
		.policy = request->policy,
		.resolved = request->resolved,
		.confined = request->confined,
		.table = table,
		.log = request->log,
		.filter = plan.filtered ? request->filter : NULL,
	};

	if (*request->instance && !plan_instance_is_valid(request->instance)) {
		err_set(err,
			"\"%s\" is no instance name: 1 to %d letters, digits and hyphens, not "
			"beginning with a hyphen, were expected",
			request->instance, INSTANCE_NAME_MAX);
		return false;
	}
	if (!plan_can_enforce(request->policy, err) ||
	    !plan_check_canary(request->policy, request->resolved, err))
		return false;
	if (plan.filtered && !request->filter) {
		err_set(err, "this policy needs the filter");
		return false;
	}
	plan_table_name(request->instance, table);
	if (!ruleset_build(&ruleset_request, &plan.ruleset, err))
		return false;
	memcpy(plan.instance, request->instance, strlen(request->instance) + 1);
	plan.confined = rangeset_copy(request->confined);
	plan.hosts_left = !request->hosts;
	if (request->names)
		plan.names = named_users_copy(request->names);
	if (request->hosts && request->resolved)
		hosts_block_build(request->resolved, &plan.hosts);
	if (request->hosts_file)
		snprintf(plan.hosts_file, sizeof(plan.hosts_file), "%s", request->hosts_file);
	probes_build(request->policy, request->resolved,
		     request->probed ? request->probed : request->confined, request->ipv6,
		     &plan.probes);
	if (plan.filtered)
		plan.filter = filter_plan_copy(request->filter);
	*ret = plan;
	return true;
}

void plan_free(struct plan *plan)
{
	rangeset_free(&plan->confined);
	named_users_free(&plan->names);
	ruleset_free(&plan->ruleset);
	hosts_block_free(&plan->hosts);
	probes_free(&plan->probes);
	filter_plan_free(&plan->filter);
	*plan = (struct plan){ 0 };
}
