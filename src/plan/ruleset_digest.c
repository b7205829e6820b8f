/* ruleset_digest.c: one number for what a ruleset does. */
#include "plan/ruleset.h"

#include "base/memory.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/*
 * The canonical form: every variable part is preceded by its length or count, so that no two
 * rulesets have the same bytes. Keys are hashed from where they lie; there may be many.
 */
static void append_name(struct buffer *out, const char *name)
{
	size_t length = strlen(name);

	buffer_append_u8(out, (uint8_t)length);
	buffer_append(out, name, length);
}

static void append_ports(struct buffer *out, const struct rangeset *ports)
{
	buffer_append_u32(out, (uint32_t)ports->count);
	for (size_t i = 0; i < ports->count; i++) {
		buffer_append_u32(out, ports->items[i].first);
		buffer_append_u32(out, ports->items[i].last);
	}
}

static void append_prefix(struct buffer *out, const struct prefix *prefix)
{
	buffer_append_u8(out, prefix->address.family == FAMILY_IPV6);
	buffer_append_u8(out, prefix->length);
	buffer_append(out, prefix->address.bytes, address_width(prefix->address.family));
}

static void append_statement(struct buffer *out, const struct statement *statement)
{
	buffer_append_u8(out, (uint8_t)statement->kind);
	buffer_append_u8(out, statement->negate);
	switch (statement->kind) {
	case MATCH_DESTINATION_IN:
		buffer_append_u8(out, statement->family == FAMILY_IPV6);
		append_name(out, statement->name);
		break;
	case MATCH_USER_IN:
	case GOTO:
	case FOREIGN:
		append_name(out, statement->name);
		break;
	case MATCH_USER:
		buffer_append_u32(out, statement->users.first);
		buffer_append_u32(out, statement->users.last);
		break;
	case MATCH_DESTINATION:
	case MATCH_SOURCE:
		append_prefix(out, &statement->prefix);
		break;
	case MATCH_PROTOCOL:
	case MATCH_ICMP_TYPE:
	case MATCH_ICMPV6_TYPE:
	case MATCH_IP_PROTOCOL:
		buffer_append_u8(out, statement->bytes.count);
		buffer_append(out, statement->bytes.values, statement->bytes.count);
		break;
	case MATCH_GROUP_REPORT:
		buffer_append_u8(out, statement->records);
		break;
	case MATCH_PORTS:
	case MATCH_SOURCE_PORTS:
		append_ports(out, &statement->ports);
		break;
	case MATCH_TCP_FLAGS:
		buffer_append_u8(out, statement->flags.mask);
		buffer_append_u8(out, statement->flags.value);
		break;
	case MATCH_OWNED:
	case MATCH_OUT_LOOPBACK:
	case MATCH_IN_LOOPBACK:
	case MATCH_DESTINATION_LOCAL:
	case MATCH_SOURCE_LOCAL:
	case MATCH_CT_MARK:
	case MATCH_CT_PUBLISHED:
	case MATCH_CT_REPLY:
	case MATCH_CT_FIRST:
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
	case SET_CT_PUBLISHED:
	case COUNT:
	case LOG:
	case ACCEPT:
	case DROP:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
	case STATEMENT_KINDS:
		break;
	}
}

static void append_chain(struct buffer *out, const struct chain *chain)
{
	append_name(out, chain->name);
	buffer_append_u8(out, chain->base);
	if (chain->base) {
		buffer_append_u8(out, (uint8_t)chain->hook);
		buffer_append_u32(out, (uint32_t)chain->priority);
		buffer_append_u8(out, chain->policy_drop);
	}
	buffer_append_u32(out, (uint32_t)chain->count);
	for (size_t i = 0; i < chain->count; i++) {
		buffer_append_u32(out, (uint32_t)chain->rules[i].count);
		for (size_t j = 0; j < chain->rules[i].count; j++)
			append_statement(out, &chain->rules[i].statements[j]);
	}
}

/* Hashes what is in the buffer and empties it. */
static void hash_buffer(SHA2_CTX *context, struct buffer *bytes)
{
	if (bytes->length)
		SHA256Update(context, bytes->data, bytes->length);
	bytes->length = 0;
}

static void hash_set(SHA2_CTX *context, struct buffer *bytes, const struct set *set)
{
	size_t length = set->keys.count * set->keys.width;

	append_name(bytes, set->name);
	buffer_append_u8(bytes, (uint8_t)set->type);
	buffer_append_u8(bytes, set->keys.interval);
	buffer_append_u64(bytes, set->keys.count);
	hash_buffer(context, bytes);
	if (!length)
		return;
	SHA256Update(context, set->keys.first, length);
	if (set->keys.interval)
		SHA256Update(context, set->keys.last, length);
}

static int compare_sets(const void *one, const void *other)
{
	return strcmp((*(const struct set *const *)one)->name,
		      (*(const struct set *const *)other)->name);
}

static int compare_chains(const void *one, const void *other)
{
	return strcmp((*(const struct chain *const *)one)->name,
		      (*(const struct chain *const *)other)->name);
}

/*
 * Sets and chains by name: where they stand in the table means nothing, and the kernel lists what
 * was kept of an older table first.
 */
static void hash_sets(SHA2_CTX *context, struct buffer *bytes, const struct ruleset *ruleset)
{
	autofree const struct set **sets = memory_allocate(ruleset->set_count, sizeof(*sets));

	for (size_t i = 0; i < ruleset->set_count; i++)
		sets[i] = &ruleset->sets[i];
	qsort(sets, ruleset->set_count, sizeof(*sets), compare_sets);
	buffer_append_u64(bytes, ruleset->set_count);
	for (size_t i = 0; i < ruleset->set_count; i++)
		hash_set(context, bytes, sets[i]);
}

static void append_chains(struct buffer *bytes, const struct ruleset *ruleset)
{
	autofree const struct chain **chains =
		memory_allocate(ruleset->chain_count, sizeof(*chains));

	for (size_t i = 0; i < ruleset->chain_count; i++)
		chains[i] = &ruleset->chains[i];
	qsort(chains, ruleset->chain_count, sizeof(*chains), compare_chains);
	buffer_append_u64(bytes, ruleset->chain_count);
	for (size_t i = 0; i < ruleset->chain_count; i++)
		append_chain(bytes, chains[i]);
}

void ruleset_digest(const struct ruleset *ruleset, char ret[65])
{
	struct buffer bytes = { 0 };
	SHA2_CTX context;

	SHA256Init(&context);
	buffer_append_u8(&bytes, (uint8_t)ruleset->family);
	append_name(&bytes, ruleset->table);
	buffer_append_u32(&bytes, ruleset->flags);
	hash_sets(&context, &bytes, ruleset);
	append_chains(&bytes, ruleset);
	hash_buffer(&context, &bytes);
	buffer_free(&bytes);
	SHA256End(&context, ret);
}
