/* repeated.c: finds the entries that a list of a policy has twice. */
#include "policy/repeated.h"

#include "base/memory.h"
#include "policy/destination.h"
#include "policy/literal.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(uint32_t one, uint32_t other)
{
	return (one > other) - (one < other);
}

static int compare_ranges(const struct range *one, const struct range *other)
{
	int order = compare_numbers(one->first, other->first);

	return order ? order : compare_numbers(one->last, other->last);
}

static int compare_users(const struct user_specs *list, size_t one, size_t other)
{
	const struct user_spec *a = &list->items[one], *b = &list->items[other];

	if (!a->name || !b->name)
		return a->name || b->name ? (a->name ? 1 : -1)
					  : compare_ranges(&a->range, &b->range);
	return strcmp(a->name, b->name);
}

int order_of_users(const struct entries *entries, size_t one, size_t other)
{
	return compare_users(&entries->policy->users, one, other);
}

int order_of_exempt_users(const struct entries *entries, size_t one, size_t other)
{
	return compare_users(&entries->policy->exempt_users, one, other);
}

int order_of_allowed_hosts(const struct entries *entries, size_t one, size_t other)
{
	const struct destination *items = entries->policy->allowed_hosts.items;

	return destination_compare(&items[one], &items[other]);
}

int order_of_model_endpoints(const struct entries *entries, size_t one, size_t other)
{
	const struct destination *items = entries->policy->model_endpoints.items;

	return destination_compare(&items[one], &items[other]);
}

int order_of_blocked_urls(const struct entries *entries, size_t one, size_t other)
{
	const struct blocked_url *items = entries->policy->blocked_urls.items;

	return strcmp(items[one].text, items[other].text);
}

/* The policy keeps ports merged, so that an entry is found only where it was read. */
static struct range ports_of(const json_t *entry)
{
	const char *text = json_string_value(entry);
	uint16_t first, last;
	struct err unused;

	if (!text || !literal_ports(text, text, &first, &last, &unused))
		first = last = (uint16_t)json_integer_value(entry);
	return (struct range){ first, last };
}

int order_of_ports(const struct entries *entries, size_t one, size_t other)
{
	struct range a = ports_of(json_array_get(entries->array, one));
	struct range b = ports_of(json_array_get(entries->array, other));

	return compare_ranges(&a, &b);
}

int order_of_canary(const struct entries *entries, size_t one, size_t other)
{
	const struct address_port *a = &entries->policy->canary.items[one];
	const struct address_port *b = &entries->policy->canary.items[other];
	int order = address_compare(&a->address, &b->address);

	return order ? order : compare_numbers(a->port, b->port);
}

int order_of_private(const struct entries *entries, size_t one, size_t other)
{
	const struct prefix *a = &entries->policy->allow_private.items[one];
	const struct prefix *b = &entries->policy->allow_private.items[other];
	int order = address_compare(&a->address, &b->address);

	return order ? order : compare_numbers(a->length, b->length);
}

struct search {
	const struct entries *entries;
	entry_order *order;
};

static int compare_indices(const void *one, const void *other, void *context)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
	const struct search *search = context;
	int order = search->order(search->entries, a, b);

	return order ? order : compare_numbers(a, b);
}

/* Lists that were generated are often in order, and then nothing is there twice. */
static bool is_ascending(const struct search *search, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (search->order(search->entries, i - 1, i) >= 0)
			return false;
	return true;
}

bool repeated_find(const struct entries *entries, entry_order *order, size_t *ret_first,
		   size_t *ret_second)
{
	struct search search = { entries, order };
	size_t count = entries->count;
	autofree uint32_t *indices = NULL;
	bool found = false;

	if (is_ascending(&search, count))
		return false;
	indices = memory_allocate(count, sizeof(*indices));
	for (size_t i = 0; i < count; i++)
		indices[i] = (uint32_t)i;
	qsort_r(indices, count, sizeof(*indices), compare_indices, &search);
	for (size_t i = 1; i < count; i++) {
		if (found && indices[i] >= *ret_second)
			continue;
		if (order(entries, indices[i - 1], indices[i]))
			continue;
		*ret_first = indices[i - 1];
		*ret_second = indices[i];
		found = true;
	}
	return found;
}
