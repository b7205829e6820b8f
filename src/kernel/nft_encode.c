/* nft_encode.c: the objects of a ruleset as the messages of a batch. */
#include "kernel/nft_encode.h"

#include "base/memory.h"
#include "kernel/netlink.h"
#include "kernel/nft_elements.h"
#include "kernel/nft_statement.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

static void put_byte_order(struct buffer *out, uint32_t order)
{
	uint8_t data[2 + sizeof(order)] = { DATA_SET_BYTE_ORDER, sizeof(order) };

	memcpy(data + 2, &order, sizeof(order));
	netlink_put(out, NFTA_SET_USERDATA, data, sizeof(data));
}

static void put_comment(struct buffer *out, const char *comment)
{
	uint8_t data[2 + RULESET_COMMENT_SIZE] = { DATA_RULE_COMMENT,
						   (uint8_t)(strlen(comment) + 1) };

	memcpy(data + 2, comment, strlen(comment) + 1);
	netlink_put(out, NFTA_RULE_USERDATA, data, 2 + strlen(comment) + 1);
}

/* add table inet egressfw; flags are written, so that a dormant table wakes up. */
void encode_table(struct batch *batch, const struct ruleset *ruleset)
{
	const struct batch_object object = { .object = REFUSED_TABLE, .table = ruleset->table };
	size_t start =
		batch_message(batch, NFT_MSG_NEWTABLE, NLM_F_CREATE, ruleset->family, &object);

	netlink_put_text(&batch->bytes, NFTA_TABLE_NAME, ruleset->table);
	netlink_put_u32(&batch->bytes, NFTA_TABLE_FLAGS, ruleset->flags);
	batch_message_end(batch, start);
}

void encode_removal(struct batch *batch, enum table_family family, const char *table)
{
	const struct batch_object object = { .object = REFUSED_TABLE, .table = table };
	size_t start = batch_message(batch, NFT_MSG_DELTABLE, 0, family, &object);

	netlink_put_text(&batch->bytes, NFTA_TABLE_NAME, table);
	batch_message_end(batch, start);
}

/* The part of NFT_MSG_NEWSET that named and anonymous sets share. */
static size_t begin_set(struct batch *batch, const struct ruleset *ruleset, const char *name,
			uint32_t flags, uint32_t type, const struct keyset *keys, uint32_t id,
			const struct batch_object *object)
{
	size_t start = batch_message(batch, NFT_MSG_NEWSET, NLM_F_CREATE, ruleset->family, object);
	struct buffer *out = &batch->bytes;

	netlink_put_text(out, NFTA_SET_TABLE, ruleset->table);
	netlink_put_text(out, NFTA_SET_NAME, name);
	netlink_put_u32(out, NFTA_SET_FLAGS, flags | (keys->interval ? NFT_SET_INTERVAL : 0));
	netlink_put_u32(out, NFTA_SET_KEY_TYPE, type);
	netlink_put_u32(out, NFTA_SET_KEY_LEN, (uint32_t)keys->width);
	netlink_put_u32(out, NFTA_SET_ID, id);
	return start;
}

static void put_size(struct buffer *out, size_t size)
{
	size_t description = netlink_nest_begin(out, NFTA_SET_DESC);

	netlink_put_u32(out, NFTA_SET_DESC_SIZE, (uint32_t)size);
	netlink_nest_end(out, description);
}

/* set pin4_1 { type ipv4_addr; size 2; }, or: set confined { type uid; flags interval; } */
bool encode_set(struct batch *batch, const struct ruleset *ruleset, const struct set *set,
		struct err *err)
{
	const struct batch_object object = { REFUSED_SET, ruleset->table, set->name, 0, false };
	size_t start;

	/*
	 * nft(8) compares uids in network byte order in interval sets only, and our keys are in it.
	 */
	if ((set->type == SET_UID && !set->keys.interval) ||
	    set->keys.width != set_type_width(set->type)) {
		err_set(err,
			"set %s cannot be written: uids stand in interval sets, keys are as wide "
			"as the type",
			set->name);
		return false;
	}
	start = begin_set(batch, ruleset, set->name, 0, set_type_number(set->type), &set->keys,
			  ++batch->set_ids, &object);
	if (!set->keys.interval && set->keys.count)
		put_size(&batch->bytes, set->keys.count);
	put_byte_order(&batch->bytes, set->type == SET_UID ? NFT_ORDER_HOST : NFT_ORDER_NETWORK);
	batch_message_end(batch, start);
	return true;
}

void encode_set_elements(struct batch *batch, const struct ruleset *ruleset, const struct set *set,
			 size_t limit, size_t *next)
{
	const struct batch_object object = { REFUSED_ELEMENTS, ruleset->table, set->name, 0,
					     false };
	const struct element_target target = {
		.type = NFT_MSG_NEWSETELEM,
		.family = ruleset->family,
		.table = ruleset->table,
		.set = set->name,
		.keys = &set->keys,
		.object = &object,
	};

	elements_write(batch, &target, limit, next);
}

/* type filter hook output priority 100; policy accept; */
bool encode_chain(struct batch *batch, const struct ruleset *ruleset, const struct chain *chain,
		  struct err *err)
{
	const struct batch_object object = { REFUSED_CHAIN, ruleset->table, chain->name, 0, false };
	struct buffer *out = &batch->bytes;
	size_t start = batch_message(batch, NFT_MSG_NEWCHAIN, NLM_F_CREATE, ruleset->family,
				     &object),
	       hook;

	if (!*chain->name) {
		err_set(err, "a chain has no name");
		return false;
	}
	netlink_put_text(out, NFTA_CHAIN_TABLE, ruleset->table);
	netlink_put_text(out, NFTA_CHAIN_NAME, chain->name);
	if (chain->base) {
		netlink_put_text(out, NFTA_CHAIN_TYPE, "filter");
		netlink_put_u32(out, NFTA_CHAIN_POLICY, chain->policy_drop ? NF_DROP : NF_ACCEPT);
		hook = netlink_nest_begin(out, NFTA_CHAIN_HOOK);
		netlink_put_u32(out, NFTA_HOOK_HOOKNUM, hook_number(chain->hook));
		netlink_put_u32(out, NFTA_HOOK_PRIORITY, (uint32_t)chain->priority);
		netlink_nest_end(out, hook);
	}
	batch_message_end(batch, start);
	return true;
}

/* An anonymous set with its elements, before the rule that looks it up. Returns its id. */
static uint32_t encode_anonymous(struct batch *batch, const struct ruleset *ruleset,
				 const struct anonymous_set *set, const struct batch_object *object)
{
	uint32_t id = ++batch->set_ids;
	const struct element_target target = {
		.type = NFT_MSG_NEWSETELEM,
		.family = ruleset->family,
		.table = ruleset->table,
		.set = ANONYMOUS_SET,
		.set_id = id,
		.keys = &set->keys,
		.object = object,
	};
	size_t next = 0, start = begin_set(batch, ruleset, ANONYMOUS_SET,
					   NFT_SET_ANONYMOUS | NFT_SET_CONSTANT, set->key_type,
					   &set->keys, id, object);

	put_size(&batch->bytes, set->keys.count);
	put_byte_order(&batch->bytes, set->byte_order);
	batch_message_end(batch, start);
	elements_write(batch, &target, 0, &next);
	return id;
}

static void encode_expressions(struct batch *batch, const struct expressions *expressions,
			       const uint32_t *set_ids)
{
	struct buffer *out = &batch->bytes;
	size_t list = netlink_nest_begin(out, NFTA_RULE_EXPRESSIONS);

	for (size_t i = 0; i < expressions->count; i++) {
		size_t element = netlink_nest_begin(out, NFTA_LIST_ELEM);

		expression_write(out, &expressions->items[i], set_ids[i]);
		netlink_nest_end(out, element);
	}
	netlink_nest_end(out, list);
}

/*
 * The ruleset's comment stands on its first rule: all rules are made anew, while a table keeps its
 * first comment.
 */
static bool is_first_rule(const struct ruleset *ruleset, const struct rule *rule)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (ruleset->chains[i].count)
			return rule == ruleset->chains[i].rules;
	return false;
}

static bool has_log(const struct rule *rule)
{
	for (size_t i = 0; i < rule->count; i++)
		if (rule->statements[i].kind == LOG)
			return true;
	return false;
}

bool encode_rule(struct batch *batch, const struct ruleset *ruleset, const struct chain *chain,
		 size_t index, struct err *err)
{
	const struct rule *rule = &chain->rules[index];
	const struct batch_object object = { REFUSED_RULE, ruleset->table, chain->name, index,
					     has_log(rule) };
	struct expressions expressions = { 0 };
	uint32_t *set_ids;
	size_t start;

	if (!rule_expand(ruleset->family, rule, &expressions, err)) {
		expressions_free(&expressions);
		err_wrap(err, "rule %zu of chain %s cannot be written", index + 1, chain->name);
		return false;
	}
	set_ids = memory_allocate(expressions.count, sizeof(*set_ids));
	for (size_t i = 0; i < expressions.count; i++)
		if (expressions.items[i].set.present)
			set_ids[i] = encode_anonymous(batch, ruleset, &expressions.items[i].set,
						      &object);
	start = batch_message(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND, ruleset->family,
			      &object);
	netlink_put_text(&batch->bytes, NFTA_RULE_TABLE, ruleset->table);
	netlink_put_text(&batch->bytes, NFTA_RULE_CHAIN, chain->name);
	encode_expressions(batch, &expressions, set_ids);
	if (*ruleset->comment && is_first_rule(ruleset, rule))
		put_comment(&batch->bytes, ruleset->comment);
	batch_message_end(batch, start);
	free(set_ids);
	expressions_free(&expressions);
	return true;
}
