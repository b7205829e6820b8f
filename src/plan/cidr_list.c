/* cidr_list.c: a policy as the list of IPv4 prefixes that platforms without rules of their own take. */
#include "plan/cidr_list.h"

#include "base/keyset.h"
#include "base/memory.h"
#include "plan/cidr_list_notes.h"
#include "policy/literal.h"

#include <stdlib.h>

enum { OBSTACLES_NAMED = 8 };

/* Whatever stands against a list, one after the other in one sentence. */
struct obstacles {
	struct err *err;
	size_t count;
};

static void add_obstacle(struct obstacles *obstacles, const char *text)
{
	if (!obstacles->count++)
		err_set(obstacles->err, "%s", text);
	else if (obstacles->count <= OBSTACLES_NAMED)
		err_append(obstacles->err, "; %s", text);
}

static bool no_obstacles(struct obstacles *obstacles)
{
	if (obstacles->count > OBSTACLES_NAMED)
		err_append(obstacles->err, "; and %zu more", obstacles->count - OBSTACLES_NAMED);
	return !obstacles->count;
}

static bool is_on_loopback(const struct destination *entry)
{
	struct address first = destination_prefix(entry).address;

	return literal_is_loopback(&first);
}

static void check_entries(const char *field, const struct destinations *entries,
			  struct obstacles *obstacles)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct destination *entry = &entries->items[i];
		char text[DESTINATION_TEXT_SIZE];
		autofree char *sentence = NULL;

		if (entry->kind == DESTINATION_WILDCARD)
			sentence = memory_format(
				"%s[%zu]: the wildcard \"%s\" stands for no certain addresses",
				field, i, destination_format(entry, text));
		else if (entry->kind == DESTINATION_PREFIX && is_on_loopback(entry))
			sentence = memory_format("%s[%zu]: \"%s\" is on the sandbox's own "
						 "loopback, which no list opens "
						 "or closes",
						 field, i, destination_format(entry, text));
		else if (entry->kind == DESTINATION_PREFIX && entry->ipv6)
			sentence = memory_format(
				"%s[%zu]: \"%s\" is IPv6, and a list of prefixes is IPv4 only",
				field, i, destination_format(entry, text));
		if (sentence)
			add_obstacle(obstacles, sentence);
	}
}

static void check_mode(const struct policy *policy, struct obstacles *obstacles)
{
	bool lanes = policy->allow_model_endpoint && policy->model_endpoints.count;

	if (policy->mode == MODE_PUBLIC)
		add_obstacle(obstacles, "network_mode \"public\" is no list: the platform's own "
					"switch for the network has to be on");
	else if (policy->mode == MODE_BLOCKLIST)
		add_obstacle(obstacles, "network_mode \"blocklist\" names what is closed, and a "
					"list of prefixes what is open");
	else if (policy->mode == MODE_NO_NETWORK && !lanes)
		add_obstacle(obstacles, "network_mode \"no-network\" leaves the list empty, which "
					"some platforms take for no limit: their own switch for "
					"the network has to be off");
	if (policy->enforcement == ENFORCE_FILTER)
		add_obstacle(obstacles, "enforcement \"filter\" decides by names, and a list of "
					"prefixes by addresses");
}

bool cidr_list_can_express(const struct policy *policy, struct err *err)
{
	struct obstacles obstacles = { .err = err };

	check_mode(policy, &obstacles);
	check_entries("allowed_hosts", &policy->allowed_hosts, &obstacles);
	if (policy->allow_model_endpoint)
		check_entries("model_endpoints", &policy->model_endpoints, &obstacles);
	return no_obstacles(&obstacles);
}

static bool is_ipv4(const struct address *address)
{
	return address->family == FAMILY_IPV4;
}

static size_t count_ipv4(const struct resolved_name *name)
{
	size_t count = 0;

	for (size_t i = 0; i < name->found.count; i++)
		count += is_ipv4(&name->found.items[i]);
	return count;
}

bool cidr_list_has_addresses(const struct resolved *resolved, struct err *err)
{
	struct obstacles obstacles = { .err = err };

	for (size_t i = 0; i < resolved->count; i++)
		if (!count_ipv4(&resolved->items[i])) {
			autofree char *text =
				memory_format("%s has no IPv4 address, and a list of prefixes is "
					      "IPv4 only",
					      resolved->items[i].name);

			add_obstacle(&obstacles, text);
		}
	return no_obstacles(&obstacles);
}

static struct keyset new_set(void)
{
	return keyset_new(4, true);
}

static void add_entry(const struct destination *entry, const struct resolved *resolved,
		      struct keyset *set)
{
	const struct resolved_name *name;

	if (entry->kind == DESTINATION_PREFIX) {
		struct prefix prefix = destination_prefix(entry);
		struct address first = prefix_first(&prefix), last = prefix_last(&prefix);

		keyset_add_interval(set, first.bytes, last.bytes);
		return;
	}
	name = resolved_find(resolved, entry->name);
	for (size_t i = 0; name && i < name->found.count; i++)
		if (is_ipv4(&name->found.items[i]))
			keyset_add(set, name->found.items[i].bytes);
}

static uint32_t number_of(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* The largest prefix that begins with the range and does not go beyond it. */
static struct prefix first_prefix(const struct range *range)
{
	struct prefix prefix = { .length = 32 };
	uint64_t size = 1;

	while (!(range->first & (2 * size - 1)) && range->first + 2 * size - 1 <= range->last) {
		size *= 2;
		prefix.length--;
	}
	prefix.address.family = FAMILY_IPV4;
	for (int i = 0; i < 4; i++)
		prefix.address.bytes[i] = (uint8_t)(range->first >> (24 - 8 * i));
	return prefix;
}

/* How many prefixes cover exactly a sealed set; the first CIDR_LIST_MAX of them go to `items`. */
static size_t split(const struct keyset *set, struct prefix *items)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		struct range left = { number_of(keyset_first(set, i)),
				      number_of(keyset_last(set, i)) };
		bool more = true;

		while (more) {
			struct prefix prefix = first_prefix(&left);
			struct address end = prefix_last(&prefix);
			uint32_t last = number_of(end.bytes);

			if (items && count < CIDR_LIST_MAX)
				items[count] = prefix;
			count++;
			more = last < left.last;
			left.first = last + 1;
		}
	}
	return count;
}

static void say_counts(const struct destinations *entries, const struct resolved *resolved,
		       size_t *named, struct err *err)
{
	for (size_t i = 0; i < entries->count && *named < OBSTACLES_NAMED; i++) {
		struct keyset own = new_set();
		char text[DESTINATION_TEXT_SIZE];

		add_entry(&entries->items[i], resolved, &own);
		keyset_seal(&own);
		err_append(err, "%s %s %zu", (*named)++ ? "," : ":",
			   destination_format(&entries->items[i], text), split(&own, NULL));
		keyset_free(&own);
	}
}

static void too_many(const struct destinations *open[], const struct resolved *resolved,
		     size_t needed, struct err *err)
{
	size_t named = 0, all = 0;

	err_set(err, "%zu prefixes are needed, and a list has at most %d", needed, CIDR_LIST_MAX);
	for (int i = 0; i < 2; i++)
		if (open[i]) {
			say_counts(open[i], resolved, &named, err);
			all += open[i]->count;
		}
	if (all > named)
		err_append(err, ", and %zu entries more", all - named);
}

bool cidr_list_build(const struct policy *policy, const struct resolved *resolved,
		     struct cidr_list *ret, struct err *err)
{
	const struct destinations *open[2] = {
		&policy->allowed_hosts,
		policy->allow_model_endpoint ? &policy->model_endpoints : NULL,
	};
	struct cidr_list list = { 0 };
	struct keyset set = new_set();

	for (int i = 0; i < 2; i++)
		for (size_t j = 0; open[i] && j < open[i]->count; j++)
			add_entry(&open[i]->items[j], resolved, &set);
	keyset_seal(&set);
	list.count = split(&set, list.items);
	keyset_free(&set);
	if (list.count > CIDR_LIST_MAX) {
		too_many(open, resolved, list.count, err);
		return false;
	}
	cidr_list_add_notes(&list, policy, open, resolved);
	*ret = list;
	return true;
}

void cidr_list_free(struct cidr_list *list)
{
	for (size_t i = 0; i < list->note_count; i++)
		free(list->notes[i]);
	free(list->notes);
	*list = (struct cidr_list){ 0 };
}

void cidr_list_print(const struct cidr_list *list, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < list->count; i++)
		buffer_printf(out, "%s%s/%u", i ? "," : "",
			      address_format(&list->items[i].address, text),
			      (unsigned)list->items[i].length);
}

void cidr_list_print_hosts(const struct resolved *resolved, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < resolved->count; i++)
		for (size_t j = 0; j < resolved->items[i].found.count; j++)
			if (is_ipv4(&resolved->items[i].found.items[j]))
				buffer_printf(
					out, "%s %s\n",
					address_format(&resolved->items[i].found.items[j], text),
					resolved->items[i].name);
}
