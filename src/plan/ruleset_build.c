/* ruleset_build.c: from policy and addresses to the sets of the ruleset that enforces them. */
#include "plan/ruleset_build.h"

#include "base/memory.h"
#include "plan/ruleset_parts.h"
#include "policy/literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is open: the destinations of two lists, one behind the other, by their places in both. */
struct open {
	const struct destination *items[2];
	size_t counts[2];
	bool loopback; /* lanes on loopback are among it: for the filter, who has no other way there */
	uint32_t *places; /* sorted by ports, those with the same ports in the policy's order */
	size_t count;
};

static const struct destination *open_at(const struct open *open, size_t place)
{
	return place < open->counts[0] ? &open->items[0][place]
				       : &open->items[1][place - open->counts[0]];
}

static void add_list(struct open *open, size_t list, const struct destinations *destinations)
{
	open->items[list] = destinations->items;
	open->counts[list] = destinations->count;
	open->count += destinations->count;
}

/* A number that is the same exactly for destinations with the same ports. */
static uint32_t ports_key(const struct open *open, size_t place)
{
	const struct destination *destination = open_at(open, place);

	return (uint32_t)destination->first_port << 16 | destination->last_port;
}

static int compare_places(const void *left, const void *right, void *context)
{
	uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
	uint32_t one_key = ports_key(context, one), other_key = ports_key(context, other);

	if (one_key != other_key)
		return one_key < other_key ? -1 : 1;
	return (one > other) - (one < other);
}

static struct open open_destinations(const struct ruleset_request *request)
{
	const struct policy *policy = request->policy;
	struct open open = { .loopback = request->filter };
	bool sorted = true;

	if (request->resolved && policy->mode == MODE_ALLOWLIST)
		add_list(&open, 0, &policy->allowed_hosts);
	if (request->resolved && policy->allow_model_endpoint)
		add_list(&open, 1, &policy->model_endpoints);
	open.places = memory_allocate(open.count, sizeof(*open.places));
	for (size_t i = 0; i < open.count; i++) {
		open.places[i] = (uint32_t)i;
		sorted = sorted && (!i || ports_key(&open, i - 1) <= ports_key(&open, i));
	}
	if (!sorted)
		qsort_r(open.places, open.count, sizeof(*open.places), compare_places, &open);
	return open;
}

/* The places of destinations that have the same ports. */
struct group {
	const uint32_t *places;
	size_t count;
};

static int compare_groups(const void *left, const void *right)
{
	uint32_t one = *((const struct group *)left)->places;
	uint32_t other = *((const struct group *)right)->places;

	return (one > other) - (one < other);
}

static bool begins_group(const struct open *open, size_t index)
{
	const uint32_t *place = &open->places[index];

	return !index || ports_key(open, place[-1]) != ports_key(open, *place);
}

/* Cuts where the ports change, and brings the groups into the policy's order. */
static struct group *group_by_ports(const struct open *open, size_t *ret_count)
{
	struct group *groups;
	size_t count = 0;

	for (size_t i = 0; i < open->count; i++)
		count += begins_group(open, i);
	groups = memory_allocate(count, sizeof(*groups));
	count = 0;
	for (size_t i = 0; i < open->count; i++) {
		if (begins_group(open, i))
			groups[count++] = (struct group){ .places = &open->places[i] };
		groups[count - 1].count++;
	}
	if (count)
		qsort(groups, count, sizeof(*groups), compare_groups);
	*ret_count = count;
	return groups;
}

static const struct {
	const char *name;
	enum set_type type;
	bool interval;
} parts[OPENING_PARTS] = {
	[OPENING_PIN4] = { "pin4", SET_IPV4, false },
	[OPENING_PIN6] = { "pin6", SET_IPV6, false },
	[OPENING_NET4] = { "net4", SET_IPV4, true },
	[OPENING_NET6] = { "net6", SET_IPV6, true },
};

/* The addresses that names pin, for the limit: each counts once, however many names have it. */
struct pinned {
	struct keyset keys[2]; /* by family */
};

static void add_address(struct keyset keys[OPENING_PARTS], const struct address *address)
{
	keyset_add(&keys[address->family == FAMILY_IPV4 ? OPENING_PIN4 : OPENING_PIN6],
		   address->bytes);
}

static void add_name(struct keyset keys[OPENING_PARTS], const struct resolved *resolved,
		     const char *name, struct pinned *pinned)
{
	const struct resolved_name *entry = resolved_find(resolved, name);

	for (size_t i = 0; entry && i < entry->found.count; i++) {
		const struct address *address = &entry->found.items[i];

		add_address(keys, address);
		keyset_add(&pinned->keys[address->family], address->bytes);
	}
}

static void add_prefix(struct keyset keys[OPENING_PARTS], const struct destination *destination)
{
	struct prefix prefix = destination_prefix(destination);
	enum family family = prefix.address.family;
	struct address last;

	if (prefix.length == address_bits(family)) {
		add_address(keys, &prefix.address);
		return;
	}
	last = prefix_last(&prefix);
	keyset_add_interval(&keys[family == FAMILY_IPV4 ? OPENING_NET4 : OPENING_NET6],
			    prefix.address.bytes, last.bytes);
}

static bool is_on_loopback(const struct destination *destination)
{
	struct prefix prefix = destination_prefix(destination);

	return literal_is_loopback(&prefix.address);
}

static void add_group(const struct open *open, const struct group *group,
		      const struct resolved *resolved, struct keyset keys[OPENING_PARTS],
		      struct pinned *pinned)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct destination *destination = open_at(open, group->places[i]);

		switch (destination->kind) {
		case DESTINATION_NAME:
			add_name(keys, resolved, destination->name, pinned);
			break;
		case DESTINATION_PREFIX:
			if (open->loopback || !is_on_loopback(destination))
				add_prefix(keys, destination);
			break;
		case DESTINATION_WILDCARD:
			break; /* has no addresses that could be known beforehand */
		}
	}
}

/* Adds the sets of one group, numbered; a part without elements gets none. */
static void add_sets(struct ruleset *ruleset, const struct open *open, const struct group *group,
		     size_t number, const struct resolved *resolved, struct pinned *pinned,
		     struct openings *openings)
{
	struct opening opening = { .sets = { "" } };
	struct keyset keys[OPENING_PARTS];
	bool any = false;

	for (enum opening_part part = 0; part < OPENING_PARTS; part++)
		keys[part] = keyset_new(set_type_width(parts[part].type), parts[part].interval);
	add_group(open, group, resolved, keys, pinned);
	for (enum opening_part part = 0; part < OPENING_PARTS; part++) {
		struct set *set;

		if (!keys[part].count)
			continue;
		any = true;
		keyset_seal(&keys[part]);
		snprintf(opening.sets[part], RULESET_NAME_SIZE, "%s_%zu", parts[part].name, number);
		set = ruleset_add_set(ruleset, opening.sets[part], parts[part].type,
				      parts[part].interval);
		set->keys = keys[part];
	}
	if (!any)
		return;
	opening.ports = destination_ports(open_at(open, *group->places));
	openings->items[openings->count++] = opening;
}

/* The sets of everything that is open; false where names pin more than the policy's limit. */
static bool add_openings(struct ruleset *ruleset, const struct ruleset_request *request,
			 struct openings *openings, struct err *err)
{
	struct open open = open_destinations(request);
	struct pinned pinned = { { keyset_new(4, false), keyset_new(16, false) } };
	size_t groups_count, total;
	struct group *groups = group_by_ports(&open, &groups_count);

	openings->items = memory_allocate(groups_count, sizeof(*openings->items));
	for (size_t i = 0; i < groups_count; i++)
		add_sets(ruleset, &open, &groups[i], i + 1, request->resolved, &pinned, openings);
	for (size_t i = 0; i < 2; i++)
		keyset_seal(&pinned.keys[i]);
	total = pinned.keys[0].count + pinned.keys[1].count;
	for (size_t i = 0; i < 2; i++)
		keyset_free(&pinned.keys[i]);
	free(groups);
	free(open.places);
	if (total <= request->policy->pin_addresses_max)
		return true;
	err_set(err,
		"the names of the policy have %zu addresses, more than the %" PRIu32
		" that pin_limits.addresses lets be pinned",
		total, request->policy->pin_addresses_max);
	return false;
}

bool ruleset_build(const struct ruleset_request *request, struct ruleset *ret, struct err *err)
{
	struct ruleset ruleset = { .family = TABLE_INET };
	struct openings openings = { 0 };
	const struct filter_plan *filter = request->resolved ? request->filter : NULL;
	const struct resolved nothing = { 0 };
	struct ruleset_request open = *request;
	struct set *confined;
	bool within;

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", request->table);
	confined = ruleset_add_set(&ruleset, SET_CONFINED, SET_UID, true);
	add_uid_ranges(&confined->keys, request->confined);
	keyset_seal(&confined->keys);
	/* What the names have at this moment is nothing to the filter, which asks itself. */
	if (filter)
		open.resolved = &nothing;
	within = add_openings(&ruleset, &open, &openings, err);
	openings.answers = request->resolved && request->policy->published_ports.count;
	if (within) {
		if (filter)
			ruleset_add_guard_sets(&ruleset, request->policy, filter);
		ruleset_add_chains(&ruleset, request->policy, request->log, request->confined,
				   &openings, filter);
		ruleset_sign(&ruleset);
		*ret = ruleset;
	} else {
		ruleset_free(&ruleset);
	}
	for (size_t i = 0; i < openings.count; i++)
		rangeset_free(&openings.items[i].ports);
	free(openings.items);
	return within;
}
