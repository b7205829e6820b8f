/* resolved.c: the names of a policy with the addresses that the resolver found. */
#include "plan/resolved.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_NAMED = 8 };

static const char *const status_names[] = {
	[RESOLVE_FOUND] = "found",
	[RESOLVE_NXDOMAIN] = "NXDOMAIN",
	[RESOLVE_NO_ADDRESS] = "no address",
	[RESOLVE_SERVFAIL] = "SERVFAIL",
	[RESOLVE_REFUSED] = "REFUSED",
	[RESOLVE_TIMEOUT] = "timeout",
	[RESOLVE_MALFORMED] = "malformed answer",
	[RESOLVE_SPECIAL] = "only special-purpose addresses",
	[RESOLVE_NO_SERVER] = "no nameserver",
	[RESOLVE_UNREACHABLE] = "unreachable",
};
static_assert(sizeof(status_names) / sizeof(*status_names) == RESOLVE_STATUSES,
	      "every status has a name");

const char *resolve_status_name(enum resolve_status status)
{
	return status_names[status];
}

void resolved_free(struct resolved *resolved)
{
	for (size_t i = 0; i < resolved->count; i++) {
		free(resolved->items[i].name);
		free(resolved->items[i].found.items);
		free(resolved->items[i].refused.items);
	}
	free(resolved->items);
	*resolved = (struct resolved){ 0 };
}

static int compare_name(const void *name, const void *item)
{
	return strcmp(name, ((const struct resolved_name *)item)->name);
}

const struct resolved_name *resolved_find(const struct resolved *resolved, const char *name)
{
	if (!resolved->count)
		return NULL;
	return bsearch(name, resolved->items, resolved->count, sizeof(*resolved->items),
		       compare_name);
}

static void add_names(const struct destinations *destinations, const char **names, size_t *count)
{
	for (size_t i = 0; i < destinations->count; i++)
		if (destinations->items[i].kind == DESTINATION_NAME)
			names[(*count)++] = destinations->items[i].name;
}

static int compare_strings(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

bool policy_names(const struct policy *policy, const char ***ret_names, size_t *ret_count,
		  struct err *err)
{
	bool pins = policy_enforcement(policy) == ENFORCE_PIN;
	size_t count = 0, kept = 0;
	autofree const char **names = memory_allocate(
		policy->allowed_hosts.count + policy->model_endpoints.count, sizeof(*names));

	if (policy->mode == MODE_ALLOWLIST && pins)
		add_names(&policy->allowed_hosts, names, &count);
	if (policy->allow_model_endpoint && pins)
		add_names(&policy->model_endpoints, names, &count);
	qsort(names, count, sizeof(*names), compare_strings);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	if (kept > policy->pin_hosts_max) {
		err_set(err, "the policy names %zu hosts, pin_limits.hosts allows %u", kept,
			policy->pin_hosts_max);
		return false;
	}
	*ret_names = names;
	*ret_count = kept;
	names = NULL;
	return true;
}

bool address_is_pinnable(const struct policy *policy, const struct address *address)
{
	if (!address_special(address))
		return true;
	for (size_t i = 0; i < policy->allow_private.count; i++)
		if (prefix_contains(&policy->allow_private.items[i], address))
			return true;
	return false;
}

static void describe_failure(const struct resolved_name *item, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	buffer_printf(out, "%s (%s", item->name, resolve_status_name(item->status));
	if (item->status == RESOLVE_SPECIAL && item->refused.count) {
		const struct address *first = &item->refused.items[0];
		const char *special = address_special(first);

		buffer_printf(out, ": %s is %s; \"allow_private\" of the policy would take it in",
			      address_format(first, text), special ? special : "refused");
	}
	buffer_append_text(out, ")");
}

bool resolved_check(const struct resolved *resolved, struct err *err)
{
	__attribute__((cleanup(buffer_free))) struct buffer text = { 0 };
	size_t failed = 0;

	for (size_t i = 0; i < resolved->count; i++) {
		if (resolved->items[i].status == RESOLVE_FOUND)
			continue;
		if (failed++ >= FAILURES_NAMED)
			continue;
		buffer_append_text(&text, failed > 1 ? ", " : "");
		describe_failure(&resolved->items[i], &text);
	}
	if (!failed)
		return true;
	if (failed > FAILURES_NAMED)
		buffer_printf(&text, " and %zu more", failed - FAILURES_NAMED);
	err_set(err, "%zu of %zu names could not be pinned: %s", failed, resolved->count,
		buffer_string(&text));
	return false;
}
