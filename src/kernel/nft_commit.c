/* nft_commit.c: tables replaced, in one transaction or in several that are closed at every step. */
#include "kernel/nft_commit.h"

#include "base/memory.h"
#include "kernel/nft_encode.h"
#include "kernel/nft_replace.h"
#include "kernel/nft_standing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. Everything is built before the first byte is sent. What the socket takes in
 * one datagram is one transaction of the kernel: all or nothing.
 *
 * What is larger is split. First comes the whole table without the elements of its large sets and
 * without the rules that accept by them; then the elements; last the chains with all their rules. A
 * set is only deferred if every rule that looks it up accepts: what is missing then can open
 * nothing. Every transaction names the generation that the one before it made, so nobody else can
 * have changed anything in between.
 */
struct transactions {
	struct batch *items;
	size_t count;
};

static void transactions_free(struct transactions *transactions)
{
	for (size_t i = 0; i < transactions->count; i++)
		batch_free(&transactions->items[i]);
	free(transactions->items);
}

static struct batch *add_transaction(struct transactions *transactions, struct nft *nft,
				     uint32_t generation)
{
	struct batch *added;

	transactions->items = memory_resize(transactions->items, transactions->count + 1,
					    sizeof(*transactions->items));
	added = &transactions->items[transactions->count++];
	batch_begin(added, nft->sequence + 1, generation);
	return added;
}

static void end_transaction(struct batch *batch, struct nft *nft)
{
	batch_end(batch);
	nft->sequence += (uint32_t)batch->count;
}

/* The kernel counts by one and leaves out zero. Zero stays: it guards nothing. */
static uint32_t next_generation(uint32_t generation)
{
	if (!generation)
		return 0;
	return generation + 1 ? generation + 1 : 1;
}

static bool looks_up(const struct rule *rule, const char *set)
{
	for (size_t i = 0; i < rule->count; i++) {
		enum statement_kind kind = rule->statements[i].kind;

		if ((kind == MATCH_DESTINATION_IN || kind == MATCH_USER_IN) &&
		    !strcmp(rule->statements[i].name, set))
			return true;
	}
	return false;
}

/* Whether nothing but accepting rules looks the set up. */
static bool only_accepts(const struct ruleset *ruleset, const char *set)
{
	for (size_t i = 0; i < ruleset->chain_count; i++) {
		for (size_t j = 0; j < ruleset->chains[i].count; j++) {
			const struct rule *rule = &ruleset->chains[i].rules[j];

			if (looks_up(rule, set) &&
			    (!rule->count || rule->statements[rule->count - 1].kind != ACCEPT))
				return false;
		}
	}
	return true;
}

static bool *deferred_sets(const struct ruleset *ruleset)
{
	bool *result = memory_allocate(ruleset->set_count, sizeof(*result));

	for (size_t i = 0; i < ruleset->set_count; i++)
		result[i] = ruleset->sets[i].type != SET_UID &&
			    only_accepts(ruleset, ruleset->sets[i].name);
	return result;
}

/* One transaction with everything. */
static bool build_whole(struct nft *nft, const struct ruleset *rulesets,
			const struct standing *standing, size_t count, uint32_t generation,
			struct transactions *transactions, struct err *err)
{
	struct batch *batch = add_transaction(transactions, nft, generation);

	for (size_t i = 0; i < count; i++)
		if (!encode_replacement(batch, &rulesets[i], &standing[i], NULL, err))
			return false;
	end_transaction(batch, nft);
	return true;
}

/* As many transactions of elements as the limit demands. */
static void build_elements(struct nft *nft, const struct ruleset *ruleset, const bool *deferred,
			   size_t limit, uint32_t *generation, struct transactions *transactions)
{
	enum { END_MESSAGE = 20 };

	for (size_t i = 0; i < ruleset->set_count; i++) {
		size_t next = 0;

		while (deferred[i] && next < ruleset->sets[i].keys.count) {
			size_t before = next;
			struct batch *batch = add_transaction(transactions, nft, *generation);

			encode_set_elements(batch, ruleset, &ruleset->sets[i], limit - END_MESSAGE,
					    &next);
			if (next == before)
				encode_set_elements(batch, ruleset, &ruleset->sets[i], 0, &next);
			end_transaction(batch, nft);
			*generation = next_generation(*generation);
		}
	}
}

static bool build_split(struct nft *nft, const struct ruleset *rulesets,
			const struct standing *standing, size_t count, uint32_t generation,
			size_t limit, struct transactions *transactions, struct err *err)
{
	bool **deferred = memory_allocate(count, sizeof(*deferred));
	struct batch *batch = add_transaction(transactions, nft, generation);
	bool built = true;

	for (size_t i = 0; i < count; i++) {
		deferred[i] = deferred_sets(&rulesets[i]);
		built = built && encode_replacement(batch, &rulesets[i], &standing[i],
						    &(struct deferral){ deferred[i] }, err);
	}
	if (built)
		end_transaction(batch, nft);
	generation = next_generation(generation);
	for (size_t i = 0; built && i < count; i++)
		build_elements(nft, &rulesets[i], deferred[i], limit, &generation, transactions);
	batch = add_transaction(transactions, nft, generation);
	for (size_t i = 0; built && i < count; i++)
		built = encode_deferred_rules(batch, &rulesets[i],
					      &(struct deferral){ deferred[i] }, err);
	if (built && batch->count > 1)
		end_transaction(batch, nft);
	else if (built) /* no rule waits for a set */
		batch_free(&transactions->items[--transactions->count]);
	for (size_t i = 0; i < count; i++)
		free(deferred[i]);
	free(deferred);
	return built;
}

/* Whether every transaction fits; else the sentence says by how much the largest does not. */
static bool all_fit(struct nft *nft, const struct transactions *transactions, struct err *err)
{
	size_t largest = 0, limit;

	for (size_t i = 0; i < transactions->count; i++)
		if (transactions->items[i].bytes.length > largest)
			largest = transactions->items[i].bytes.length;
	limit = nft_raise_send_limit(nft, largest);
	if (largest <= limit)
		return true;
	err_set(err,
		"a transaction of %zu bytes does not fit into the socket's send buffer of %zu "
		"bytes, and cannot be "
		"divided further; raise net.core.wmem_max",
		largest, limit);
	return false;
}

static enum commit_status send_all(struct nft *nft, const struct transactions *transactions,
				   struct refusal *refusal, struct err *err)
{
	for (size_t i = 0; i < transactions->count; i++) {
		enum commit_status status =
			nft_transact(nft, &transactions->items[i], refusal, err);

		if (status == COMMIT_DONE)
			continue;
		if (!i)
			return status;
		err_wrap(err, "transaction %zu of %zu failed; nothing that the sets open is open",
			 i + 1, transactions->count);
		return COMMIT_PARTIAL;
	}
	return COMMIT_DONE;
}

/*
 * Reads the names of what stands. Without a generation to be guarded by, the reading's own guards
 * it.
 */
static bool read_standing(struct nft *nft, const struct ruleset *rulesets, size_t count,
			  uint32_t *generation, struct standing *standing,
			  enum commit_status *status, struct refusal *refusal, struct err *err)
{
	if (!*generation && !nft_generation(nft, generation, err)) {
		refusal->errnum = EIO;
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (standing_read(nft, rulesets[i].family, rulesets[i].table, &standing[i],
				  &refusal->errnum, err))
			continue;
		/* Interrupted by a change: the generation has passed too. */
		if (refusal->errnum == EINTR)
			*status = COMMIT_STALE;
		return false;
	}
	return true;
}

static bool build(struct nft *nft, const struct ruleset *rulesets, const struct standing *standing,
		  size_t count, uint32_t generation, struct transactions *transactions,
		  struct refusal *refusal, struct err *err)
{
	size_t length, limit;

	refusal->errnum = EINVAL;
	if (!build_whole(nft, rulesets, standing, count, generation, transactions, err))
		return false;
	length = transactions->items[0].bytes.length;
	limit = nft_raise_send_limit(nft, length);
	if (length <= limit)
		return true;
	transactions_free(transactions);
	*transactions = (struct transactions){ 0 };
	refusal->errnum = EMSGSIZE;
	return build_split(nft, rulesets, standing, count, generation, limit, transactions, err) &&
	       all_fit(nft, transactions, err);
}

bool nft_commit(struct nft *nft, const struct ruleset *rulesets, size_t count, uint32_t generation,
		enum commit_status *ret_status, struct refusal *ret_refusal, struct err *err)
{
	struct transactions transactions = { 0 };
	struct standing *standing = memory_allocate(count, sizeof(*standing));
	struct refusal refusal = { .object = REFUSED_BATCH };
	enum commit_status status = COMMIT_REFUSED;

	if (read_standing(nft, rulesets, count, &generation, standing, &status, &refusal, err) &&
	    build(nft, rulesets, standing, count, generation, &transactions, &refusal, err))
		status = send_all(nft, &transactions, &refusal, err);
	transactions_free(&transactions);
	for (size_t i = 0; i < count; i++)
		standing_free(&standing[i]);
	free(standing);
	if (status == COMMIT_DONE)
		return true;
	*ret_status = status;
	*ret_refusal = refusal;
	return false;
}
