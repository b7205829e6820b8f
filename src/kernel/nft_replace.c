/* nft_replace.c: what stands in a table replaced by a ruleset, message after message. */
#include "kernel/nft_replace.h"

#include "kernel/netlink.h"
#include "kernel/nft_elements.h"
#include "kernel/nft_encode.h"

#include <linux/netfilter/nf_tables.h>
#include <string.h>

/* The intervals of one set that the other does not have just so. */
static struct keyset intervals_without(const struct keyset *set, const struct keyset *other)
{
	struct keyset result = keyset_new(set->width, true);

	for (size_t i = 0; i < set->count; i++) {
		bool found = false;

		for (size_t j = 0; j < other->count && !found; j++)
			found = !memcmp(keyset_first(set, i), keyset_first(other, j), set->width) &&
				!memcmp(keyset_last(set, i), keyset_last(other, j), set->width);
		if (!found)
			keyset_add_interval(&result, keyset_first(set, i), keyset_last(set, i));
	}
	keyset_seal(&result);
	return result;
}

/* delete element inet egressfw confined { ... }; add element inet egressfw confined { ... } */
static void encode_difference(struct batch *batch, const struct ruleset *ruleset,
			      const struct set *set, const struct keyset *standing)
{
	const struct batch_object object = { REFUSED_ELEMENTS, ruleset->table, set->name, 0,
					     false };
	struct keyset gone = intervals_without(standing, &set->keys),
		      added = intervals_without(&set->keys, standing);
	struct element_target target = {
		.type = NFT_MSG_DELSETELEM,
		.family = ruleset->family,
		.table = ruleset->table,
		.set = set->name,
		.keys = &gone,
		.object = &object,
	};
	size_t next = 0;

	elements_write(batch, &target, 0, &next);
	target.type = NFT_MSG_NEWSETELEM;
	target.keys = &added;
	next = 0;
	elements_write(batch, &target, 0, &next);
	keyset_free(&gone);
	keyset_free(&added);
}

/* Whether a rule is among those left out. */
static bool rule_is_deferred(const struct ruleset *ruleset, const struct rule *rule,
			     const struct deferral *deferral)
{
	for (size_t i = 0; deferral && i < rule->count; i++) {
		const struct statement *statement = &rule->statements[i];

		if (statement->kind != MATCH_DESTINATION_IN && statement->kind != MATCH_USER_IN)
			continue;
		for (size_t j = 0; j < ruleset->set_count; j++)
			if (deferral->sets[j] && !strcmp(ruleset->sets[j].name, statement->name))
				return true;
	}
	return false;
}

static bool encode_rules(struct batch *batch, const struct ruleset *ruleset,
			 const struct chain *chain, const struct deferral *deferral,
			 struct err *err)
{
	for (size_t i = 0; i < chain->count; i++)
		if (!rule_is_deferred(ruleset, &chain->rules[i], deferral) &&
		    !encode_rule(batch, ruleset, chain, i, err))
			return false;
	return true;
}

/* flush chain inet egressfw CHAIN; without a chain: flush table inet egressfw */
static void encode_flush(struct batch *batch, const struct ruleset *ruleset, const char *chain)
{
	const struct batch_object object = {
		chain ? REFUSED_CHAIN : REFUSED_TABLE, ruleset->table, chain, 0, false,
	};
	size_t start = batch_message(batch, NFT_MSG_DELRULE, 0, ruleset->family, &object);

	netlink_put_text(&batch->bytes, NFTA_RULE_TABLE, ruleset->table);
	if (chain)
		netlink_put_text(&batch->bytes, NFTA_RULE_CHAIN, chain);
	batch_message_end(batch, start);
}

/* delete set inet egressfw NAME, or delete chain */
static void encode_deletion(struct batch *batch, const struct ruleset *ruleset,
			    enum refused_object kind, const char *name)
{
	const struct batch_object object = { kind, ruleset->table, name, 0, false };
	bool set = kind == REFUSED_SET;
	size_t start = batch_message(batch, set ? NFT_MSG_DELSET : NFT_MSG_DELCHAIN, 0,
				     ruleset->family, &object);

	netlink_put_text(&batch->bytes, set ? NFTA_SET_TABLE : NFTA_CHAIN_TABLE, ruleset->table);
	netlink_put_text(&batch->bytes, set ? NFTA_SET_NAME : NFTA_CHAIN_NAME, name);
	batch_message_end(batch, start);
}

static void encode_clearing(struct batch *batch, const struct ruleset *ruleset,
			    const struct standing *standing)
{
	encode_flush(batch, ruleset, NULL);
	/* Sets first: the verdicts in a map hold chains. */
	for (size_t i = 0; i < standing->set_count; i++)
		if (!standing_set_is_kept(&standing->sets[i], ruleset))
			encode_deletion(batch, ruleset, REFUSED_SET, standing->sets[i].name);
	for (size_t i = 0; i < standing->chain_count; i++)
		if (!standing_chain_is_kept(&standing->chains[i], ruleset))
			encode_deletion(batch, ruleset, REFUSED_CHAIN, standing->chains[i].name);
}

bool encode_replacement(struct batch *batch, const struct ruleset *ruleset,
			const struct standing *standing, const struct deferral *deferral,
			struct err *err)
{
	if (standing->present && standing->foreign)
		encode_removal(batch, ruleset->family, ruleset->table);
	encode_table(batch, ruleset);
	if (standing->present && !standing->foreign)
		encode_clearing(batch, ruleset, standing);
	/* All chains before any rule: a goto finds its chain wherever it stands. */
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (!encode_chain(batch, ruleset, &ruleset->chains[i], err))
			return false;
	for (size_t i = 0; i < ruleset->set_count; i++) {
		const struct standing_set *kept =
			standing_kept(standing, ruleset, &ruleset->sets[i]);
		size_t next = 0;

		if (kept)
			encode_difference(batch, ruleset, &ruleset->sets[i], &kept->keys);
		else if (!encode_set(batch, ruleset, &ruleset->sets[i], err))
			return false;
		else if (!deferral || !deferral->sets[i])
			encode_set_elements(batch, ruleset, &ruleset->sets[i], 0, &next);
	}
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (!encode_rules(batch, ruleset, &ruleset->chains[i], deferral, err))
			return false;
	return true;
}

bool encode_deferred_rules(struct batch *batch, const struct ruleset *ruleset,
			   const struct deferral *deferral, struct err *err)
{
	for (size_t i = 0; i < ruleset->chain_count; i++) {
		const struct chain *chain = &ruleset->chains[i];
		bool any = false;

		for (size_t j = 0; j < chain->count; j++)
			any = any || rule_is_deferred(ruleset, &chain->rules[j], deferral);
		if (!any)
			continue;
		encode_flush(batch, ruleset, chain->name);
		if (!encode_rules(batch, ruleset, chain, NULL, err))
			return false;
	}
	return true;
}
