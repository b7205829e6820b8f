/* ruleset_build.c: from policy and addresses to the sets of the ruleset that enforces them. */
#include "plan/ruleset_build.h"

#include "base/memory.h"
#include "plan/ruleset_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A destination that is open, and its place in the policy. */
struct reference {
	const struct destination *destination;
	size_t order;
};

struct references {
	struct reference *items;
	size_t count;
};

static void refer_to(struct references *references, const struct destinations *destinations)
{
	references->items =
		memory_resize(references->items, references->count + destinations->count,
			      sizeof(*references->items));
	for (size_t i = 0; i < destinations->count; i++) {
		struct reference reference = { &destinations->items[i], references->count };

		references->items[references->count++] = reference;
	}
}

static struct references open_destinations(const struct ruleset_request *request)
{
	const struct policy *policy = request->policy;
	struct references references = { 0 };

	if (!request->resolved)
		return references;
	if (policy->mode == MODE_ALLOWLIST)
		refer_to(&references, &policy->allowed_hosts);
	if (policy->allow_model_endpoint)
		refer_to(&references, &policy->model_endpoints);
	return references;
}

static int compare_ports(const struct rangeset *one, const struct rangeset *other)
{
	for (size_t i = 0; i < one->count && i < other->count; i++) {
		const struct range *left = &one->items[i], *right = &other->items[i];

		if (left->first != right->first)
			return left->first < right->first ? -1 : 1;
		if (left->last != right->last)
			return left->last < right->last ? -1 : 1;
	}
	return (one->count > other->count) - (one->count < other->count);
}

static int compare_references(const void *left, const void *right)
{
	const struct reference *one = left, *other = right;
	int order = compare_ports(&one->destination->ports, &other->destination->ports);

	return order ? order : (one->order > other->order) - (one->order < other->order);
}

/* References of one list of ports, next to each other. */
struct group {
	const struct reference *items;
	size_t count;
};

static int compare_groups(const void *left, const void *right)
{
	size_t one = ((const struct group *)left)->items->order;
	size_t other = ((const struct group *)right)->items->order;

	return (one > other) - (one < other);
}

/* Sorts by ports, cuts where they change, and brings the groups into the policy's order. */
static struct group *group_by_ports(struct references *references, size_t *ret_count)
{
	struct group *groups = memory_allocate(references->count, sizeof(*groups));
	size_t count = 0;

	if (references->count)
		qsort(references->items, references->count, sizeof(*references->items),
		      compare_references);
	for (size_t i = 0; i < references->count; i++) {
		const struct reference *item = &references->items[i];

		if (!i || compare_ports(&item[-1].destination->ports, &item->destination->ports))
			groups[count++] = (struct group){ .items = item };
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

static void add_prefix(struct keyset keys[OPENING_PARTS], const struct prefix *prefix)
{
	enum family family = prefix->address.family;
	struct address first = prefix_first(prefix), last = prefix_last(prefix);

	if (prefix->length == address_bits(family))
		add_address(keys, &first);
	else
		keyset_add_interval(&keys[family == FAMILY_IPV4 ? OPENING_NET4 : OPENING_NET6],
				    first.bytes, last.bytes);
}

static void add_group(const struct group *group, const struct resolved *resolved,
		      struct keyset keys[OPENING_PARTS], struct pinned *pinned)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct destination *destination = group->items[i].destination;

		switch (destination->kind) {
		case DESTINATION_NAME:
			add_name(keys, resolved, destination->name, pinned);
			break;
		case DESTINATION_PREFIX:
			add_prefix(keys, &destination->prefix);
			break;
		case DESTINATION_WILDCARD:
			break; /* has no addresses that could be known beforehand */
		}
	}
}

/* Adds the sets of one group, numbered; a part without elements gets none. */
static void add_sets(struct ruleset *ruleset, const struct group *group, size_t number,
		     const struct resolved *resolved, struct pinned *pinned,
		     struct openings *openings)
{
	struct opening opening = { .ports = &group->items->destination->ports };
	struct keyset keys[OPENING_PARTS];
	bool any = false;

	for (enum opening_part part = 0; part < OPENING_PARTS; part++)
		keys[part] = keyset_new(set_type_width(parts[part].type), parts[part].interval);
	add_group(group, resolved, keys, pinned);
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
	if (any)
		openings->items[openings->count++] = opening;
}

/* The sets of everything that is open; false where names pin more than the policy's limit. */
static bool add_openings(struct ruleset *ruleset, const struct ruleset_request *request,
			 struct openings *openings, struct err *err)
{
	struct references references = open_destinations(request);
	struct pinned pinned = { { keyset_new(4, false), keyset_new(16, false) } };
	size_t groups_count, total;
	struct group *groups = group_by_ports(&references, &groups_count);

	openings->items = memory_allocate(groups_count, sizeof(*openings->items));
	for (size_t i = 0; i < groups_count; i++)
		add_sets(ruleset, &groups[i], i + 1, request->resolved, &pinned, openings);
	for (size_t i = 0; i < 2; i++)
		keyset_seal(&pinned.keys[i]);
	total = pinned.keys[0].count + pinned.keys[1].count;
	for (size_t i = 0; i < 2; i++)
		keyset_free(&pinned.keys[i]);
	free(groups);
	free(references.items);
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
	struct set *confined;
	bool within;

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", request->table);
	confined = ruleset_add_set(&ruleset, SET_CONFINED, SET_UID, true);
	add_uid_ranges(&confined->keys, request->confined);
	keyset_seal(&confined->keys);
	within = add_openings(&ruleset, request, &openings, err);
	if (within) {
		ruleset_add_chains(&ruleset, request->policy, request->log, &openings);
		ruleset_sign(&ruleset);
		*ret = ruleset;
	} else {
		ruleset_free(&ruleset);
	}
	free(openings.items);
	return within;
}
