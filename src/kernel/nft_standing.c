/* nft_standing.c: what a table that is to be replaced has in it: names, and the users. */
#include "kernel/nft_standing.h"

#include "base/memory.h"
#include "kernel/nft_batch.h"

#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdlib.h>
#include <string.h>

/* Where the messages of one table go. */
struct gathering {
	const char *table;
	struct standing *into;
	uint32_t use;   /* how many objects the kernel counts in the table */
	uint32_t found; /* how many of them we have seen */
};

void standing_free(struct standing *standing)
{
	for (size_t i = 0; i < standing->set_count; i++) {
		keyset_free(&standing->sets[i].collected.starts);
		keyset_free(&standing->sets[i].collected.ends);
		keyset_free(&standing->sets[i].keys);
	}
	free(standing->sets);
	free(standing->chains);
	*standing = (struct standing){ 0 };
}

bool standing_chain_is_kept(const struct standing_chain *chain, const struct ruleset *wanted)
{
	const struct chain *same = ruleset_find_chain(wanted, chain->name);

	return same && same->base && chain->base && chain->filter &&
	       chain->hook == hook_number(same->hook) &&
	       chain->priority == (uint32_t)same->priority;
}

static bool is_of_users(const struct set *set)
{
	return set->type == SET_UID && set->keys.interval;
}

bool standing_set_is_kept(const struct standing_set *set, const struct ruleset *wanted)
{
	const struct set *same = ruleset_find_set(wanted, set->name);

	return same && is_of_users(same) && set->users && !set->strange;
}

const struct standing_set *standing_kept(const struct standing *standing,
					 const struct ruleset *wanted, const struct set *set)
{
	for (size_t i = 0; !standing->foreign && is_of_users(set) && i < standing->set_count; i++)
		if (!strcmp(standing->sets[i].name, set->name) &&
		    standing_set_is_kept(&standing->sets[i], wanted))
			return &standing->sets[i];
	return NULL;
}

static bool is_in(const struct gathering *gathering, const struct netlink_message *message,
		  uint16_t attribute)
{
	char table[RULESET_NAME_SIZE];

	return attribute_text(message->payload, attribute, table, sizeof(table)) &&
	       !strcmp(table, gathering->table);
}

static bool take_set(struct gathering *gathering, const struct netlink_message *message)
{
	const size_t width = set_type_width(SET_UID);
	struct standing *into = gathering->into;
	struct standing_set set = {
		.collected = { keyset_new(width, false), keyset_new(width, false) },
		.keys = keyset_new(width, true),
	};
	uint32_t flags = 0, type = 0;

	attribute_u32(message->payload, NFTA_SET_FLAGS, &flags);
	attribute_u32(message->payload, NFTA_SET_KEY_TYPE, &type);
	if (!is_in(gathering, message, NFTA_SET_TABLE))
		return true;
	gathering->found++;
	if (flags & NFT_SET_ANONYMOUS)
		return true;
	set.users = flags == NFT_SET_INTERVAL && type == set_type_number(SET_UID);
	if (!attribute_text(message->payload, NFTA_SET_NAME, set.name, sizeof(set.name)))
		return false;
	into->sets = memory_resize(into->sets, into->set_count + 1, sizeof(*into->sets));
	into->sets[into->set_count++] = set;
	return true;
}

static bool take_elements(void *context, const struct netlink_message *message)
{
	struct standing_set *set = context;
	struct attribute list;
	struct element element;
	bool strange;

	if (message->type != (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWSETELEM) ||
	    !attribute_find(message->payload, NFTA_SET_ELEM_LIST_ELEMENTS, &list))
		return true;
	while (element_next(&list.payload, set->keys.width, &element, &strange))
		keyset_add(element.end ? &set->collected.ends : &set->collected.starts,
			   element.key);
	set->strange = set->strange || strange;
	return true;
}

static bool take_chain(struct gathering *gathering, const struct netlink_message *message)
{
	struct standing *into = gathering->into;
	struct standing_chain chain = { 0 };
	struct attribute hook;
	uint32_t flags = 0;
	char type[16];

	attribute_u32(message->payload, NFTA_CHAIN_FLAGS, &flags);
	if (!is_in(gathering, message, NFTA_CHAIN_TABLE))
		return true;
	gathering->found++;
	if (flags & NFT_CHAIN_BINDING)
		return true;
	if (!attribute_text(message->payload, NFTA_CHAIN_NAME, chain.name, sizeof(chain.name)))
		return false;
	chain.base = attribute_find(message->payload, NFTA_CHAIN_HOOK, &hook);
	if (chain.base && (!attribute_u32(hook.payload, NFTA_HOOK_HOOKNUM, &chain.hook) ||
			   !attribute_u32(hook.payload, NFTA_HOOK_PRIORITY, &chain.priority)))
		return false;
	chain.filter = attribute_text(message->payload, NFTA_CHAIN_TYPE, type, sizeof(type)) &&
		       !strcmp(type, "filter");
	into->chains = memory_resize(into->chains, into->chain_count + 1, sizeof(*into->chains));
	into->chains[into->chain_count++] = chain;
	return true;
}

static bool take_table(struct gathering *gathering, const struct netlink_message *message)
{
	struct attribute data;

	gathering->into->present = true;
	gathering->into->foreign = attribute_find(message->payload, NFTA_TABLE_USERDATA, &data);
	return attribute_u32(message->payload, NFTA_TABLE_USE, &gathering->use);
}

static bool take(void *context, const struct netlink_message *message)
{
	struct gathering *gathering = context;

	if (message->type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE))
		return take_table(gathering, message);
	if (message->type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWSET))
		return take_set(gathering, message);
	if (message->type == (NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWCHAIN))
		return take_chain(gathering, message);
	return true;
}

static bool read_users(struct nft *nft, const struct request *table, struct standing *standing,
		       int *ret_errnum, struct err *err)
{
	for (size_t i = 0; i < standing->set_count; i++) {
		struct standing_set *set = &standing->sets[i];
		struct request request = *table;

		if (!set->users)
			continue;
		request.type = NFT_MSG_GETSETELEM;
		request.table_attribute = NFTA_SET_ELEM_LIST_TABLE;
		request.name_attribute = NFTA_SET_ELEM_LIST_SET;
		request.name = set->name;
		if (!nft_ask(nft, &request, take_elements, set, ret_errnum, err))
			return false;
		set->strange = set->strange || !interval_join(&set->collected, &set->keys);
	}
	return true;
}

bool standing_read(struct nft *nft, enum table_family family, const char *table,
		   struct standing *ret, int *ret_errnum, struct err *err)
{
	struct standing standing = { 0 };
	struct gathering gathering = { .table = table, .into = &standing };
	struct request request = {
		.type = NFT_MSG_GETTABLE,
		.family = table_family_number(family),
		.table_attribute = NFTA_TABLE_NAME,
		.table = table,
	};
	bool read = nft_ask(nft, &request, take, &gathering, ret_errnum, err);

	if (!read && *ret_errnum == ENOENT) {
		*ret = standing;
		return true;
	}
	request.dump = true;
	request.type = NFT_MSG_GETSET;
	request.table_attribute = NFTA_SET_TABLE;
	read = read && nft_ask(nft, &request, take, &gathering, ret_errnum, err);
	request.type = NFT_MSG_GETCHAIN;
	request.table_attribute = NFTA_CHAIN_TABLE;
	read = read && nft_ask(nft, &request, take, &gathering, ret_errnum, err) &&
	       read_users(nft, &request, &standing, ret_errnum, err);
	standing.foreign = standing.foreign || gathering.use != gathering.found;
	if (read)
		*ret = standing;
	else
		standing_free(&standing);
	return read;
}
