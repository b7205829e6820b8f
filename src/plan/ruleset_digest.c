/* ruleset_digest.c: one number for what a ruleset does. */
#include "plan/ruleset.h"

#include "base/memory.h"
#include "plan/plan_store.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/*
 * The canonical form is the stored one: every variable part is preceded by its length or count, so
 * that no two rulesets have the same bytes. Keys are hashed from where they lie; there may be many.
 */
static void append_chain(struct buffer *out, const struct chain *chain)
{
	store_chain(chain, out);
	buffer_append_u8(out, chain->policy_drop);
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

	store_text(set->name, bytes);
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
	store_text(ruleset->table, &bytes);
	buffer_append_u32(&bytes, ruleset->flags);
	hash_sets(&context, &bytes, ruleset);
	append_chains(&bytes, ruleset);
	hash_buffer(&context, &bytes);
	buffer_free(&bytes);
	SHA256End(&context, ret);
}

bool ruleset_is_intact(const struct ruleset *ruleset)
{
	char digest[65];

	ruleset_digest(ruleset, digest);
	return !strcmp(digest, ruleset->comment);
}
