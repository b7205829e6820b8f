/* probe.c: what the canary tries, and what all outcomes together prove. */
#include "plan/probe.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static const char *const protocol_names[] = { [PROBE_TCP] = "tcp", [PROBE_UDP] = "udp" };
static_assert(sizeof(protocol_names) / sizeof(*protocol_names) == PROBE_PROTOCOLS,
	      "every protocol has a name");

static const char *const origin_names[] = {
	[PROBE_NAMED] = "named",
	[PROBE_DEFAULT] = "default",
	[PROBE_LOOPBACK] = "loopback",
};
static_assert(sizeof(origin_names) / sizeof(*origin_names) == PROBE_ORIGINS,
	      "every origin has a name");

static const char *const outcome_names[] = {
	[OUTCOME_BLOCKED] = "blocked",
	[OUTCOME_OPEN] = "open",
	[OUTCOME_INCONCLUSIVE] = "inconclusive",
};
static_assert(sizeof(outcome_names) / sizeof(*outcome_names) == PROBE_OUTCOMES,
	      "every outcome has a name");

static const char *const proof_names[] = {
	[PROOF_NONE] = "none",
	[PROOF_LOG] = "log",
	[PROOF_COUNTER] = "counter",
	[PROOF_DIFFERENCE] = "difference",
};
static_assert(sizeof(proof_names) / sizeof(*proof_names) == PROBE_PROOFS, "every proof has a name");

/* What stands in for a default target that the policy allows: public resolvers like it. */
static const struct address stand_ins[][3] = {
	[FAMILY_IPV4] = {
		{ FAMILY_IPV4, { 8, 8, 8, 8 } },
		{ FAMILY_IPV4, { 9, 9, 9, 9 } },
		{ FAMILY_IPV4, { 208, 67, 222, 222 } },
	},
	[FAMILY_IPV6] = {
		/* 2001:4860:4860::8888, 2620:fe::fe, 2620:119:35::35 */
		{ FAMILY_IPV6, { 0x20, 0x01, 0x48, 0x60, 0x48, 0x60, [14] = 0x88, 0x88 } },
		{ FAMILY_IPV6, { 0x26, 0x20, 0x00, 0xfe, [15] = 0xfe } },
		{ FAMILY_IPV6, { 0x26, 0x20, 0x01, 0x19, 0x00, 0x35, [15] = 0x35 } },
	},
};
enum { WELL_KNOWN = 1 + sizeof(stand_ins[0]) / sizeof(stand_ins[0][0]), DNS_PORT = 53 };

static const struct address docker_resolver = { FAMILY_IPV4, { 127, 0, 0, 11 } };
static const struct address loopback_ipv6 = { FAMILY_IPV6, { [15] = 1 } };

const char *probe_protocol_name(enum probe_protocol protocol)
{
	return protocol_names[protocol];
}

const char *probe_origin_name(enum probe_origin origin)
{
	return origin_names[origin];
}

const char *probe_outcome_name(enum probe_outcome outcome)
{
	return outcome_names[outcome];
}

const char *probe_proof_name(enum probe_proof proof)
{
	return proof_names[proof];
}

void probes_free(struct probes *probes)
{
	free(probes->items);
	*probes = (struct probes){ 0 };
}

void probe_results_free(struct probe_results *results)
{
	free(results->items);
	*results = (struct probe_results){ 0 };
}

static bool destination_accepts(const struct destination *destination,
				const struct resolved *resolved, const struct address_port *target)
{
	const struct resolved_name *name;

	if (!destination_has_port(destination, target->port))
		return false;
	if (destination->kind == DESTINATION_PREFIX) {
		struct prefix prefix = destination_prefix(destination);

		return prefix_contains(&prefix, &target->address);
	}
	name = resolved ? resolved_find(resolved, destination->name) : NULL;
	if (destination->kind != DESTINATION_NAME || !name)
		return false;
	for (size_t i = 0; i < name->found.count; i++)
		if (address_compare(&name->found.items[i], &target->address) == 0)
			return true;
	return false;
}

bool probe_target_is_allowed(const struct policy *policy, const struct resolved *resolved,
			     const struct address_port *target)
{
	const struct destinations *lists[] = {
		policy->mode == MODE_ALLOWLIST ? &policy->allowed_hosts : NULL,
		policy->allow_model_endpoint ? &policy->model_endpoints : NULL,
	};

	if (policy_enforcement(policy) == ENFORCE_FILTER)
		return false;
	for (size_t list = 0; list < sizeof(lists) / sizeof(*lists); list++)
		for (size_t i = 0; lists[list] && i < lists[list]->count; i++)
			if (destination_accepts(&lists[list]->items[i], resolved, target))
				return true;
	return false;
}

static void add(struct probes *probes, enum probe_protocol protocol, enum probe_origin origin,
		uint32_t uid, const struct address *address, uint16_t port)
{
	const struct probe probe = {
		.protocol = protocol,
		.origin = origin,
		.uid = uid,
		.target = { .address = *address, .port = port },
	};

	/* Two targets at one address have one resolver between them. */
	for (size_t i = probes->count; i-- && probes->items[i].uid == uid;)
		if (probes->items[i].protocol == protocol && probes->items[i].target.port == port &&
		    address_compare(&probes->items[i].target.address, address) == 0)
			return;
	probes->items = memory_resize(probes->items, probes->count + 1, sizeof(*probes->items));
	probes->items[probes->count++] = probe;
}

static struct address_port well_known(enum family family, size_t index)
{
	struct address_port target = policy_canary_default[family];

	if (index)
		target.address = stand_ins[family][index - 1];
	return target;
}

/* TCP to the first well-known address that the policy does not allow; UDP is never allowed. */
static void add_default(struct probes *probes, const struct policy *policy,
			const struct resolved *resolved, enum family family, uint32_t uid)
{
	struct address_port target = well_known(family, 0);
	size_t next = 1;

	while (next < WELL_KNOWN && probe_target_is_allowed(policy, resolved, &target))
		target = well_known(family, next++);
	if (probe_target_is_allowed(policy, resolved, &target))
		target = well_known(family, 0);
	else
		add(probes, PROBE_TCP, PROBE_DEFAULT, uid, &target.address, target.port);
	add(probes, PROBE_UDP, PROBE_DEFAULT, uid, &target.address, DNS_PORT);
}

static void add_loopback(struct probes *probes, const struct address *address, uint32_t uid)
{
	add(probes, PROBE_TCP, PROBE_LOOPBACK, uid, address, DNS_PORT);
	add(probes, PROBE_UDP, PROBE_LOOPBACK, uid, address, DNS_PORT);
}

void probes_build(const struct policy *policy, const struct resolved *resolved,
		  const struct rangeset *probed, bool ipv6, struct probes *ret)
{
	struct probes probes = { 0 };

	for (size_t user = 0; user < probed->count; user++) {
		uint32_t uid = probed->items[user].first;

		for (size_t i = 0; i < policy->canary.count; i++) {
			const struct address_port *target = &policy->canary.items[i];

			add(&probes, PROBE_TCP, PROBE_NAMED, uid, &target->address, target->port);
			add(&probes, PROBE_UDP, PROBE_NAMED, uid, &target->address, DNS_PORT);
		}
		if (!policy->canary.count) {
			add_default(&probes, policy, resolved, FAMILY_IPV4, uid);
			add_default(&probes, policy, resolved, FAMILY_IPV6, uid);
		}
		add_loopback(&probes, &docker_resolver, uid);
		if (ipv6)
			add_loopback(&probes, &loopback_ipv6, uid);
	}
	*ret = probes;
}

void probes_build_named(const struct address_ports *targets, const struct rangeset *probed,
			struct probes *ret)
{
	struct probes probes = { 0 };

	for (size_t user = 0; user < probed->count; user++)
		for (size_t i = 0; i < targets->count; i++)
			add(&probes, PROBE_TCP, PROBE_NAMED, probed->items[user].first,
			    &targets->items[i].address, targets->items[i].port);
	*ret = probes;
}

bool probe_result_is_proven(const struct probe_result *result)
{
	return result->outcome == OUTCOME_BLOCKED && result->proof != PROOF_NONE;
}

enum probe_outcome probe_results_verdict(const struct probe_results *results)
{
	bool proven = false, named_unproven = false;

	for (size_t i = 0; i < results->count; i++) {
		const struct probe_result *result = &results->items[i];

		if (result->outcome == OUTCOME_OPEN)
			return OUTCOME_OPEN;
		if (probe_result_is_proven(result))
			proven = true;
		else if (result->probe.origin == PROBE_NAMED && !result->untold)
			named_unproven = true;
	}
	return proven && !named_unproven ? OUTCOME_BLOCKED : OUTCOME_INCONCLUSIVE;
}

struct probe_counts probe_results_count(const struct probe_results *results)
{
	struct probe_counts counts = { 0 };

	for (size_t i = 0; i < results->count; i++) {
		const struct probe_result *result = &results->items[i];

		if (result->outcome == OUTCOME_OPEN)
			counts.open++;
		else if (probe_result_is_proven(result))
			counts.proven++;
		else if (result->not_routed)
			counts.unrouted++;
		else
			counts.untold++;
	}
	return counts;
}

void probe_results_print_counts(const struct probe_results *results, struct buffer *out)
{
	struct probe_counts counts = probe_results_count(results);

	buffer_printf(out, "%zu probe%s, %zu proven blocked by us", results->count,
		      results->count == 1 ? "" : "s", counts.proven);
	if (counts.open)
		buffer_printf(out, ", %zu open", counts.open);
	if (counts.unrouted)
		buffer_printf(out, ", %zu not tried for want of a route", counts.unrouted);
	if (counts.untold)
		buffer_printf(out, ", %zu inconclusive", counts.untold);
}
