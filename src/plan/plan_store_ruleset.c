/* plan_store_ruleset.c: a ruleset as bytes. */
#include "plan/plan_store.h"

static void store_set(const struct set *set, struct buffer *out)
{
	store_text(set->name, out);
	buffer_append_u8(out, (uint8_t)set->type);
	buffer_append_u8(out, set->keys.interval);
}

void store_keys(const struct ruleset *ruleset, struct buffer *out)
{
	for (size_t i = 0; i < ruleset->set_count; i++) {
		const struct keyset *keys = &ruleset->sets[i].keys;
		size_t bytes = keys->count * keys->width;

		buffer_reserve(out, sizeof(uint32_t) + (keys->interval ? 2 * bytes : bytes));
		buffer_append_u32(out, (uint32_t)keys->count);
		buffer_append(out, keys->first, bytes);
		if (keys->interval)
			buffer_append(out, keys->last, bytes);
	}
}

static void store_statement(const struct statement *statement, struct buffer *out)
{
	buffer_append_u8(out, (uint8_t)statement->kind);
	buffer_append_u8(out, statement->negate);
	switch (statement_operand(statement->kind)) {
	case OPERAND_ADDRESS_SET:
		buffer_append_u8(out, (uint8_t)statement->family);
		store_text(statement->name, out);
		break;
	case OPERAND_USER_SET:
	case OPERAND_CHAIN:
	case OPERAND_UNKNOWN:
		store_text(statement->name, out);
		break;
	case OPERAND_USERS:
		buffer_append_u32(out, statement->users.first);
		buffer_append_u32(out, statement->users.last);
		break;
	case OPERAND_PREFIX:
		store_address(&statement->prefix.address, out);
		buffer_append_u8(out, statement->prefix.length);
		break;
	case OPERAND_PORTS:
		store_ranges(&statement->ports, out);
		break;
	case OPERAND_BYTES:
		buffer_append_u8(out, statement->bytes.count);
		buffer_append(out, statement->bytes.values, statement->bytes.count);
		break;
	case OPERAND_FLAGS:
		buffer_append_u8(out, statement->flags.mask);
		buffer_append_u8(out, statement->flags.value);
		break;
	case OPERAND_RECORDS:
		buffer_append_u8(out, statement->records);
		break;
	case OPERAND_NONE:
		break;
	}
}

void store_chain(const struct chain *chain, struct buffer *out)
{
	store_text(chain->name, out);
	buffer_append_u8(out, chain->base);
	if (chain->base) {
		buffer_append_u8(out, (uint8_t)chain->hook);
		buffer_append_u32(out, (uint32_t)chain->priority);
	}
	buffer_append_u32(out, (uint32_t)chain->count);
	for (size_t i = 0; i < chain->count; i++) {
		const struct rule *rule = &chain->rules[i];

		buffer_append_u8(out, (uint8_t)rule->count);
		for (size_t j = 0; j < rule->count; j++)
			store_statement(&rule->statements[j], out);
	}
}

void store_ruleset(const struct ruleset *ruleset, struct buffer *out)
{
	buffer_append_u8(out, (uint8_t)ruleset->family);
	store_text(ruleset->table, out);
	store_text(ruleset->comment, out);
	buffer_append_u32(out, (uint32_t)ruleset->set_count);
	for (size_t i = 0; i < ruleset->set_count; i++)
		store_set(&ruleset->sets[i], out);
	buffer_append_u32(out, (uint32_t)ruleset->chain_count);
	for (size_t i = 0; i < ruleset->chain_count; i++)
		store_chain(&ruleset->chains[i], out);
}
