/* ruleset.c: the ruleset as a value: growing it, copying it, finding and comparing its parts. */
#include "plan/ruleset.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more in an array that holds count and is only ever grown here. */
static void *grow(void *items, size_t count, size_t size)
{
	if (count & (count - 1)) /* no power of two: the last growth left room */
		return items;
	return memory_resize(items, count ? count * 2 : 1, size);
}

static void set_name(char name[RULESET_NAME_SIZE], const char *text)
{
	size_t length = strlen(text);

	if (length >= RULESET_NAME_SIZE)
		abort(); /* a cut name could be another object's */
	memset(name, 0, RULESET_NAME_SIZE);
	memcpy(name, text, length);
}

static void free_rule(struct rule *rule)
{
	for (size_t i = 0; i < rule->count; i++)
		rangeset_free(&rule->statements[i].ports);
	free(rule->statements);
}

static void free_chain(struct chain *chain)
{
	for (size_t i = 0; i < chain->count; i++)
		free_rule(&chain->rules[i]);
	free(chain->rules);
}

void ruleset_free(struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->set_count; i++)
		keyset_free(&ruleset->sets[i].keys);
	for (size_t i = 0; i < ruleset->chain_count; i++)
		free_chain(&ruleset->chains[i]);
	free(ruleset->sets);
	free(ruleset->chains);
	*ruleset = (struct ruleset){ 0 };
}

struct set *ruleset_add_set(struct ruleset *ruleset, const char *name, enum set_type type,
			    bool interval)
{
	struct set *set;

	ruleset->sets = grow(ruleset->sets, ruleset->set_count, sizeof(*ruleset->sets));
	set = &ruleset->sets[ruleset->set_count++];
	*set = (struct set){ .type = type, .keys = keyset_new(set_type_width(type), interval) };
	set_name(set->name, name);
	return set;
}

struct chain *ruleset_add_chain(struct ruleset *ruleset, const char *name)
{
	struct chain *chain;

	ruleset->chains = grow(ruleset->chains, ruleset->chain_count, sizeof(*ruleset->chains));
	chain = &ruleset->chains[ruleset->chain_count++];
	*chain = (struct chain){ 0 };
	set_name(chain->name, name);
	return chain;
}

struct rule *chain_add_rule(struct chain *chain, const struct statement *statements, size_t count)
{
	struct rule *rule;

	chain->rules = grow(chain->rules, chain->count, sizeof(*chain->rules));
	rule = &chain->rules[chain->count++];
	*rule = (struct rule){
		.statements = memory_copy(statements, count * sizeof(*statements)),
		.count = count,
	};
	return rule;
}

void chain_copy_rule(struct chain *chain, const struct rule *rule)
{
	struct rule *copy = chain_add_rule(chain, rule->statements, rule->count);

	copy->handle = rule->handle;
	for (size_t i = 0; i < rule->count; i++)
		copy->statements[i] = statement_copy(&rule->statements[i]);
}

struct chain *ruleset_add_chain_like(struct ruleset *ruleset, const struct chain *chain)
{
	struct chain *copy = ruleset_add_chain(ruleset, chain->name);

	copy->base = chain->base;
	copy->hook = chain->hook;
	copy->priority = chain->priority;
	copy->policy_drop = chain->policy_drop;
	return copy;
}

void ruleset_copy_chain(struct ruleset *ruleset, const struct chain *chain)
{
	struct chain *copy = ruleset_add_chain_like(ruleset, chain);

	for (size_t i = 0; i < chain->count; i++)
		chain_copy_rule(copy, &chain->rules[i]);
}

void ruleset_copy_set(struct ruleset *ruleset, const struct set *set)
{
	struct set *copy = ruleset_add_set(ruleset, set->name, set->type, set->keys.interval);

	copy->keys = keyset_copy(&set->keys);
	copy->foreign = set->foreign;
}

struct ruleset ruleset_copy(const struct ruleset *ruleset)
{
	struct ruleset copy = *ruleset;

	copy.sets = NULL;
	copy.chains = NULL;
	copy.set_count = copy.chain_count = 0;
	for (size_t i = 0; i < ruleset->set_count; i++)
		ruleset_copy_set(&copy, &ruleset->sets[i]);
	for (size_t i = 0; i < ruleset->chain_count; i++)
		ruleset_copy_chain(&copy, &ruleset->chains[i]);
	return copy;
}

const struct set *ruleset_find_set(const struct ruleset *ruleset, const char *name)
{
	for (size_t i = 0; i < ruleset->set_count; i++)
		if (!strcmp(ruleset->sets[i].name, name))
			return &ruleset->sets[i];
	return NULL;
}

const struct chain *ruleset_find_chain(const struct ruleset *ruleset, const char *name)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (!strcmp(ruleset->chains[i].name, name))
			return &ruleset->chains[i];
	return NULL;
}

size_t set_type_width(enum set_type type)
{
	static const size_t widths[] = {
		[SET_UID] = 4, [SET_IPV4] = 4, [SET_IPV6] = 16, [SET_PORT] = 2, [SET_FOREIGN] = 1
	};

	return widths[type];
}

const char *set_type_name(enum set_type type)
{
	static const char *const names[] = {
		[SET_UID] = "uid",           [SET_IPV4] = "ipv4_addr",  [SET_IPV6] = "ipv6_addr",
		[SET_PORT] = "inet_service", [SET_FOREIGN] = "foreign",
	};

	return names[type];
}

const char *table_family_name(enum table_family family)
{
	static const char *const names[] = {
		[TABLE_INET] = "inet", [TABLE_IP] = "ip", [TABLE_IP6] = "ip6"
	};

	return names[family];
}

const char *hook_name(enum hook hook)
{
	static const char *const names[] = {
		[HOOK_INPUT] = "input",
		[HOOK_FORWARD] = "forward",
		[HOOK_OUTPUT] = "output",
		[HOOK_POSTROUTING] = "postrouting",
	};

	return names[hook];
}

bool rule_equal(const struct rule *one, const struct rule *other)
{
	if (one->count != other->count)
		return false;
	for (size_t i = 0; i < one->count; i++)
		if (!statement_equal(&one->statements[i], &other->statements[i]))
			return false;
	return true;
}
