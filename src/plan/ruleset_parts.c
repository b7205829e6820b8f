/* ruleset_parts.c: the statements and base chains that rulesets are built of. */
#include "plan/ruleset_parts.h"

#include "base/memory.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>

struct statement plain(enum statement_kind kind)
{
	return (struct statement){ .kind = kind };
}

struct statement negated(enum statement_kind kind)
{
	return (struct statement){ .kind = kind, .negate = true };
}

static struct statement named(enum statement_kind kind, const char *name)
{
	struct statement statement = { .kind = kind };

	snprintf(statement.name, sizeof(statement.name), "%s", name);
	return statement;
}

struct statement user_in(const char *set)
{
	return named(MATCH_USER_IN, set);
}

struct statement user(const struct range *users)
{
	return (struct statement){ .kind = MATCH_USER, .users = *users };
}

struct statement go_to(const char *chain)
{
	return named(GOTO, chain);
}

struct statement destination(const struct prefix *prefix)
{
	return (struct statement){ .kind = MATCH_DESTINATION, .prefix = *prefix };
}

struct statement source(const struct prefix *prefix)
{
	return (struct statement){ .kind = MATCH_SOURCE, .prefix = *prefix };
}

struct statement destination_in(enum family family, const char *set)
{
	struct statement statement = named(MATCH_DESTINATION_IN, set);

	statement.family = family;
	return statement;
}

struct statement tcp_flags(bool negate, uint8_t mask, uint8_t value)
{
	return (struct statement){ .kind = MATCH_TCP_FLAGS,
				   .negate = negate,
				   .flags = { mask, value } };
}

struct statement group_report(uint8_t records)
{
	return (struct statement){ .kind = MATCH_GROUP_REPORT, .records = records };
}

struct statement ports_in(const struct rangeset *ports)
{
	return (struct statement){ .kind = MATCH_PORTS, .ports = rangeset_copy(ports) };
}

struct statement source_ports_in(const struct rangeset *ports)
{
	return (struct statement){ .kind = MATCH_SOURCE_PORTS, .ports = rangeset_copy(ports) };
}

struct statement original_ports_in(const struct rangeset *ports)
{
	return (struct statement){ .kind = MATCH_CT_ORIGINAL_PORTS, .ports = rangeset_copy(ports) };
}

struct statement one_of(enum statement_kind kind, const uint8_t *values, uint8_t count)
{
	struct statement statement = { .kind = kind, .bytes.count = count };

	memcpy(statement.bytes.values, values, count);
	return statement;
}

enum { RANGES_COMPARED_MAX = 4 };

void add_user_rules(struct chain *chain, const struct rangeset *confined,
		    const struct statement *rest, size_t count)
{
	struct statement statements[RULE_STATEMENTS_MAX] = { user_in(SET_CONFINED) };

	memcpy(statements + 1, rest, count * sizeof(*rest));
	if (confined->count > RANGES_COMPARED_MAX) {
		chain_add_rule(chain, statements, count + 1);
		return;
	}
	for (size_t i = 0; i < confined->count; i++) {
		statements[0] = user(&confined->items[i]);
		chain_add_rule(chain, statements, count + 1);
	}
}

struct chain *add_base_chain(struct ruleset *ruleset, const char *name, enum hook hook,
			     int32_t priority)
{
	struct chain *chain = ruleset_add_chain(ruleset, name);

	chain->base = true;
	chain->hook = hook;
	chain->priority = priority;
	return chain;
}

void add_uid_ranges(struct keyset *keys, const struct rangeset *users)
{
	for (size_t i = 0; i < users->count; i++) {
		uint32_t first = htobe32(users->items[i].first),
			 last = htobe32(users->items[i].last);

		keyset_add_interval(keys, (const uint8_t *)&first, (const uint8_t *)&last);
	}
}

struct rangeset uid_ranges(const struct keyset *keys)
{
	struct rangeset users = {
		.items = memory_allocate(keys->count, sizeof(*users.items)),
		.count = keys->count,
	};

	/* A sealed interval set is sorted and merged as a rangeset is. */
	for (size_t i = 0; i < keys->count; i++) {
		uint32_t first, last;

		memcpy(&first, keyset_first(keys, i), sizeof(first));
		memcpy(&last, keyset_last(keys, i), sizeof(last));
		users.items[i] = (struct range){ be32toh(first), be32toh(last) };
	}
	return users;
}

void ruleset_sign(struct ruleset *ruleset)
{
	char digest[65];

	ruleset_digest(ruleset, digest);
	snprintf(ruleset->comment, sizeof(ruleset->comment), "%s", digest);
}
