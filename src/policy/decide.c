/* decide.c: may this host, port and path be reached under the policy, and which rule says so. */
#include "policy/decide.h"

#include "base/text.h"
#include "policy/blocked_url.h"
#include "policy/host.h"
#include "policy/literal.h"

#include <assert.h>
#include <string.h>

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_ALLOW] = "allow",
		[VERDICT_BLOCK] = "block",
		[VERDICT_INSPECT] = "inspect",
	};
	static_assert(sizeof(names) / sizeof(*names) == VERDICT_INSPECT + 1,
		      "a name for every verdict");

	return names[verdict];
}

const char *layer_name(enum layer layer)
{
	static const char *const names[] = {
		[LAYER_KERNEL] = "kernel", [LAYER_DNS] = "dns",   [LAYER_PROXY] = "proxy",
		[LAYER_TLS] = "tls",       [LAYER_HTTP] = "http",
	};
	static_assert(sizeof(names) / sizeof(*names) == LAYER_HTTP + 1, "a name for every layer");

	return names[layer];
}

/* Returns where the rule ends, which may go on. */
static char *conclude(struct decision *ret, enum verdict verdict, enum layer layer,
		      const char *reason, const char *rule)
{
	ret->verdict = verdict;
	ret->layer = layer;
	ret->reason = reason;
	return text_put(ret->rule, ret->rule + sizeof(ret->rule), rule);
}

void decision_block(struct decision *ret, enum layer layer, const char *rule, const char *reason)
{
	conclude(ret, VERDICT_BLOCK, layer, reason, rule);
}

/* By an entry of a list: `LIST[INDEX] "ENTRY"`. */
static void conclude_by(struct decision *ret, enum verdict verdict, enum layer layer,
			const char *reason, const char *list, size_t index, const char *entry)
{
	const char *end = ret->rule + sizeof(ret->rule);
	char *at = conclude(ret, verdict, layer, reason, list);

	at = text_put_decimal(text_put(at, end, "["), end, (uint32_t)index);
	at = text_put(text_put(at, end, "] \""), end, entry);
	text_put(at, end, "\"");
}

/* Where the lists take effect: the kernel knows addresses, the filter names. */
static enum layer list_layer(const struct policy *policy)
{
	return policy_enforcement(policy) == ENFORCE_FILTER ? LAYER_PROXY : LAYER_KERNEL;
}

static void decide_loopback(const struct policy *policy, const struct target *target,
			    struct decision *ret)
{
	static const struct address engine_resolver = { FAMILY_IPV4, { 127, 0, 0, 11 } };
	uint16_t port = target->port;

	if (!address_compare(&target->address, &engine_resolver) || port == 53 || port == 853 ||
	    port == 5353)
		decision_block(ret, LAYER_KERNEL, "loopback resolvers",
			       "a resolver on loopback carries data out");
	else if (policy->loopback_any)
		conclude(ret, VERDICT_ALLOW, LAYER_KERNEL, "loopback is open", "loopback \"any\"");
	else if (rangeset_contains(&policy->loopback_ports, port))
		text_put_decimal(conclude(ret, VERDICT_ALLOW, LAYER_KERNEL,
					  "the port is open on loopback", "loopback "),
				 ret->rule + sizeof(ret->rule), port);
	else
		decision_block(ret, LAYER_KERNEL, "loopback",
			       "the port is not among those open on loopback");
}

static bool prefix_has(const struct destination *destination, const struct address *address)
{
	struct prefix prefix = destination_prefix(destination);

	return prefix_contains(&prefix, address);
}

static bool covers_host(const struct destination *destination, const struct target *target)
{
	switch (destination->kind) {
	case DESTINATION_NAME:
		return !strcmp(target->host, destination->name);
	case DESTINATION_WILDCARD:
		return host_is_below(target->host, destination->name);
	case DESTINATION_PREFIX:
		return !target->host[0] && prefix_has(destination, &target->address);
	}
	return false;
}

/* The first entry for host and port; *ret_near is one for the host alone; `count` for none. */
static size_t find(const struct destinations *list, const struct target *target, size_t *ret_near)
{
	*ret_near = list->count;
	for (size_t i = 0; i < list->count; i++) {
		if (!covers_host(&list->items[i], target))
			continue;
		if (destination_has_port(&list->items[i], target->port))
			return i;
		if (*ret_near == list->count)
			*ret_near = i;
	}
	return list->count;
}

static bool decide_lanes(const struct policy *policy, const struct target *target,
			 struct decision *ret)
{
	const struct destinations *lanes = &policy->model_endpoints;
	char text[DESTINATION_TEXT_SIZE];
	size_t near, found;

	/* Where all is open that is not listed, a closed endpoint has to be closed by name. */
	if (!policy->allow_model_endpoint && policy->mode != MODE_BLOCKLIST)
		return false;
	found = find(lanes, target, &near);
	if (found == lanes->count)
		return false;
	if (!policy->allow_model_endpoint) {
		if (!target->host[0] && literal_is_loopback(&target->address))
			return false;
		conclude_by(ret, VERDICT_BLOCK, LAYER_PROXY,
			    "allow_model_endpoint closes the model endpoint", "model_endpoints",
			    found, destination_format(&lanes->items[found], text));
		return true;
	}
	conclude_by(ret, VERDICT_ALLOW,
		    !target->host[0] && literal_is_loopback(&target->address) ? LAYER_KERNEL
									      : list_layer(policy),
		    "a model endpoint stays reachable in every mode", "model_endpoints", found,
		    destination_format(&lanes->items[found], text));
	return true;
}

static void decide_allowlist(const struct policy *policy, const struct target *target,
			     struct decision *ret)
{
	const struct destinations *list = &policy->allowed_hosts;
	enum layer layer = list_layer(policy);
	size_t near, found = find(list, target, &near);
	char text[DESTINATION_TEXT_SIZE];

	if (found < list->count)
		conclude_by(ret, VERDICT_ALLOW, layer, "the destination is listed", "allowed_hosts",
			    found, destination_format(&list->items[found], text));
	else if (near < list->count)
		conclude_by(ret, VERDICT_BLOCK, layer, "the host is listed, but not with this port",
			    "allowed_hosts", near, destination_format(&list->items[near], text));
	else
		decision_block(ret, layer, "default", "the destination is not listed");
}

static bool is_private_and_allowed(const struct policy *policy, const struct address *address)
{
	for (size_t i = 0; i < policy->allow_private.count; i++)
		if (prefix_contains(&policy->allow_private.items[i], address))
			return true;
	return false;
}

/* An entry that blocks wins over one that must see the path first, in whatever order they stand. */
static void decide_blocklist(const struct policy *policy, const struct target *target,
			     struct decision *ret)
{
	const struct blocked_urls *list = &policy->blocked_urls;
	size_t inspect = list->count;

	for (size_t i = 0; i < list->count; i++) {
		const struct blocked_url *blocked = &list->items[i];
		bool whole = blocked_url_is_whole(blocked);

		if (!blocked_url_covers_host(blocked, target))
			continue;
		if (whole || (target->path &&
			      blocked_url_covers_path(blocked, target->path, target->query))) {
			conclude_by(ret, VERDICT_BLOCK, whole ? LAYER_PROXY : LAYER_HTTP,
				    whole ? "the host is blocked" : "the path is blocked",
				    "blocked_urls", i, blocked->text);
			return;
		}
		if (!target->path && inspect == list->count)
			inspect = i;
	}
	if (!target->host[0] && address_special(&target->address) &&
	    !is_private_and_allowed(policy, &target->address))
		decision_block(ret, LAYER_PROXY, "special-purpose",
			       "the address is special-purpose and not in allow_private");
	else if (inspect < list->count)
		conclude_by(ret, VERDICT_INSPECT, LAYER_TLS, "only the path can tell",
			    "blocked_urls", inspect, list->items[inspect].text);
	else
		conclude(ret, VERDICT_ALLOW, LAYER_PROXY, "nothing blocks it", "default");
}

void decide(const struct policy *policy, const struct target *target, struct decision *ret)
{
	if (policy->mode == MODE_PUBLIC) {
		conclude(ret, VERDICT_ALLOW, LAYER_KERNEL, "the mode has no limits",
			 "network_mode \"public\"");
		return;
	}
	if (decide_lanes(policy, target, ret))
		return;
	if (!target->host[0] && literal_is_loopback(&target->address)) {
		decide_loopback(policy, target, ret);
		return;
	}
	switch (policy->mode) {
	case MODE_PUBLIC:
	case MODE_NO_NETWORK:
		conclude(ret, VERDICT_BLOCK, LAYER_KERNEL, "only loopback is open",
			 "network_mode \"no-network\"");
		break;
	case MODE_ALLOWLIST:
		decide_allowlist(policy, target, ret);
		break;
	case MODE_BLOCKLIST:
		decide_blocklist(policy, target, ret);
		break;
	}
}
