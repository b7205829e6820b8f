/* plan_load_ruleset.c: a stored ruleset, held to what the builder can make. */
#include "plan/plan_store.h"

#include "base/memory.h"

#include <string.h>

/* One byte of length and one of name at least, then type and kind; or kind and count. */
enum { SET_STORED_MIN = 2 + 1 + 1, CHAIN_STORED_MIN = 2 + 1 + 4, RULE_STORED_MIN = 1 + 2 };
/* Names are looked up one by one, so a stored plan may not ask for millions of look-ups. */
enum { PORT_LAST = 65535, SETS_MAX = 65536, CHAINS_MAX = 64 };

/* The name of an object of the table: not empty, and of letters that need no quotes in nft text. */
static bool load_name(struct cursor *cursor, char ret[RULESET_NAME_SIZE])
{
	if (!load_text(cursor, ret, RULESET_NAME_SIZE) || !*ret)
		return false;
	for (const char *c = ret; *c; c++)
		if (!(*c >= '0' && *c <= '9') && !(*c >= 'A' && *c <= 'Z') &&
		    !(*c >= 'a' && *c <= 'z') && *c != '_' && *c != '-')
			return false;
	return true;
}

/* Sealed: ascending, and intervals neither overlap nor touch. */
static bool is_sealed(const struct keyset *keys)
{
	for (size_t i = 0; i < keys->count; i++) {
		uint8_t next[KEY_WIDTH_MAX];

		if (memcmp(keyset_first(keys, i), keyset_last(keys, i), keys->width) > 0)
			return false;
		if (!i)
			continue;
		memcpy(next, keyset_last(keys, i - 1), keys->width);
		if (!keys->interval) {
			if (memcmp(next, keyset_first(keys, i), keys->width) >= 0)
				return false;
		} else if (!key_increment(next, keys->width) ||
			   memcmp(keyset_first(keys, i), next, keys->width) <= 0) {
			return false;
		}
	}
	return true;
}

static bool load_set(struct cursor *cursor, struct ruleset *ruleset)
{
	char name[RULESET_NAME_SIZE];
	uint8_t type;
	bool interval;

	if (!load_name(cursor, name) || ruleset_find_set(ruleset, name) ||
	    !load_choice(cursor, SET_PORT + 1, &type) || !load_flag(cursor, &interval))
		return false;
	ruleset_add_set(ruleset, name, type, interval);
	return true;
}

static bool load_set_keys(struct cursor *cursor, struct keyset *keys)
{
	const uint8_t *first, *last = NULL;
	uint32_t count;

	if (!load_count(cursor, keys->interval ? 2 * keys->width : keys->width, &count))
		return false;
	first = cursor_take(cursor, count * keys->width);
	if (keys->interval)
		last = cursor_take(cursor, count * keys->width);
	keys->count = keys->capacity = count;
	keys->first = memory_copy(first, count * keys->width);
	keys->last = keys->interval ? memory_copy(last, count * keys->width) : NULL;
	return is_sealed(keys);
}

bool load_keys(struct cursor *cursor, struct ruleset *ruleset)
{
	char digest[65];

	for (size_t i = 0; i < ruleset->set_count; i++)
		if (!load_set_keys(cursor, &ruleset->sets[i].keys))
			return false;
	ruleset_digest(ruleset, digest);
	return strcmp(digest, ruleset->comment) == 0;
}

static bool load_bytes(struct cursor *cursor, struct statement *ret)
{
	const uint8_t *values;

	if (!load_choice(cursor, STATEMENT_VALUES_MAX + 1, &ret->bytes.count) || !ret->bytes.count)
		return false;
	values = cursor_take(cursor, ret->bytes.count);
	if (!values)
		return false;
	for (size_t i = 1; i < ret->bytes.count; i++)
		if (values[i - 1] >= values[i])
			return false;
	memcpy(ret->bytes.values, values, ret->bytes.count);
	return true;
}

static bool load_prefix(struct cursor *cursor, struct prefix *ret)
{
	struct prefix cut;

	if (!load_address(cursor, &ret->address) || !cursor_u8(cursor, &ret->length) ||
	    ret->length > address_bits(ret->address.family))
		return false;
	cut = prefix_of(&ret->address, ret->length);
	return address_compare(&cut.address, &ret->address) == 0;
}

static bool load_set_reference(struct cursor *cursor, const struct ruleset *ruleset,
			       enum set_type type, struct statement *ret)
{
	const struct set *set;

	if (!load_name(cursor, ret->name))
		return false;
	set = ruleset_find_set(ruleset, ret->name);
	return set && set->type == type;
}

static bool load_users(struct cursor *cursor, struct range *ret)
{
	return cursor_u32(cursor, &ret->first) && cursor_u32(cursor, &ret->last) &&
	       ret->first <= ret->last && ret->last <= UID_LAST;
}

static bool can_be_negated(enum statement_kind kind)
{
	return kind == MATCH_OUT_LOOPBACK || kind == MATCH_IN_LOOPBACK ||
	       kind == MATCH_SOURCE_LOCAL || kind == MATCH_TCP_FLAGS || kind == MATCH_CT_MARK ||
	       kind == MATCH_CT_PUBLISHED || kind == MATCH_CT_REPLY;
}

static bool load_statement(struct cursor *cursor, const struct ruleset *ruleset,
			   struct statement *ret)
{
	uint8_t kind, family;

	if (!load_choice(cursor, FOREIGN, &kind) || !load_flag(cursor, &ret->negate))
		return false;
	ret->kind = kind;
	if (ret->negate && !can_be_negated(kind))
		return false;
	switch (statement_operand(ret->kind)) {
	case OPERAND_NONE:
		return true;
	case OPERAND_USER_SET:
		return load_set_reference(cursor, ruleset, SET_UID, ret);
	case OPERAND_ADDRESS_SET:
		if (!load_choice(cursor, FAMILY_IPV6 + 1, &family))
			return false;
		ret->family = family;
		return load_set_reference(cursor, ruleset,
					  family == FAMILY_IPV4 ? SET_IPV4 : SET_IPV6, ret);
	case OPERAND_CHAIN:
		return load_name(cursor, ret->name);
	case OPERAND_USERS:
		return load_users(cursor, &ret->users);
	case OPERAND_PREFIX:
		return load_prefix(cursor, &ret->prefix);
	case OPERAND_PORTS:
		return load_ranges(cursor, PORT_LAST, &ret->ports);
	case OPERAND_BYTES:
		return load_bytes(cursor, ret);
	case OPERAND_FLAGS:
		return cursor_u8(cursor, &ret->flags.mask) && cursor_u8(cursor, &ret->flags.value);
	case OPERAND_RECORDS:
		return load_choice(cursor, GROUP_RECORDS_MAX + 1, &ret->records) && ret->records;
	case OPERAND_UNKNOWN:
		break;
	}
	return false;
}

static bool load_rule(struct cursor *cursor, const struct ruleset *ruleset, struct chain *chain)
{
	struct statement statements[RULE_STATEMENTS_MAX] = { 0 };
	uint8_t count;
	bool good;

	if (!load_choice(cursor, RULE_STATEMENTS_MAX + 1, &count) || !count)
		return false;
	good = true;
	for (uint8_t i = 0; i < count && good; i++)
		good = load_statement(cursor, ruleset, &statements[i]) &&
		       (i + 1 == count || !statement_is_verdict(statements[i].kind));
	/* The chain owns the ports that were read even when the rule is no good. */
	chain_add_rule(chain, statements, count);
	return good;
}

static bool load_chain(struct cursor *cursor, struct ruleset *ruleset)
{
	char name[RULESET_NAME_SIZE];
	struct chain *chain;
	uint32_t count, priority = 0;
	uint8_t hook = 0;
	bool base;

	if (!load_name(cursor, name) || ruleset_find_chain(ruleset, name) ||
	    !load_flag(cursor, &base) ||
	    (base && (!load_choice(cursor, HOOK_POSTROUTING + 1, &hook) ||
		      !cursor_u32(cursor, &priority))) ||
	    !load_count(cursor, RULE_STORED_MIN, &count))
		return false;
	chain = ruleset_add_chain(ruleset, name);
	chain->base = base;
	chain->hook = hook;
	memcpy(&chain->priority, &priority, sizeof(priority));
	for (uint32_t i = 0; i < count; i++)
		if (!load_rule(cursor, ruleset, chain))
			return false;
	return true;
}

/*
 * Lets `levels` of every chain be above that of each chain that goes to it; whether any had to be
 * raised.
 */
static bool raise_levels(const struct ruleset *ruleset, size_t *levels, bool *ret_valid)
{
	bool raised = false;

	for (size_t i = 0; i < ruleset->chain_count; i++) {
		const struct chain *chain = &ruleset->chains[i], *target;

		for (size_t j = 0; j < chain->count; j++) {
			const struct statement *last =
				&chain->rules[j].statements[chain->rules[j].count - 1];
			size_t place;

			if (last->kind != GOTO)
				continue;
			target = ruleset_find_chain(ruleset, last->name);
			if (!target || target->base) {
				*ret_valid = false;
				return false;
			}
			place = (size_t)(target - ruleset->chains);
			if (levels[place] > levels[i])
				continue;
			levels[place] = levels[i] + 1;
			raised = true;
		}
	}
	return raised;
}

/*
 * Every chain that a rule goes to is there and is no base chain, and no chain leads back to itself.
 */
static bool leads_somewhere(const struct ruleset *ruleset)
{
	autofree size_t *levels = memory_allocate(ruleset->chain_count, sizeof(*levels));
	bool valid = true;

	/* Without a circle no level can be raised in more rounds than there are chains. */
	for (size_t round = 0; round <= ruleset->chain_count; round++)
		if (!raise_levels(ruleset, levels, &valid))
			return valid;
	return false;
}

bool load_ruleset(struct cursor *cursor, struct ruleset *ret)
{
	uint32_t count;
	uint8_t family;

	if (!load_choice(cursor, TABLE_IP6 + 1, &family) || !load_name(cursor, ret->table) ||
	    !load_text(cursor, ret->comment, sizeof(ret->comment)) ||
	    !load_count(cursor, SET_STORED_MIN, &count) || count > SETS_MAX)
		return false;
	ret->family = family;
	for (uint32_t i = 0; i < count; i++)
		if (!load_set(cursor, ret))
			return false;
	if (!load_count(cursor, CHAIN_STORED_MIN, &count) || count > CHAINS_MAX)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!load_chain(cursor, ret))
			return false;
	return leads_somewhere(ret);
}
