/* nft_table_reader.c: one table as a ruleset, from the messages of a dump. */
#include "kernel/nft_table_reader.h"

#include "kernel/nft_batch.h"
#include "kernel/nft_statement.h"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table_reader table_reader(enum table_family family, const char *table)
{
	struct table_reader reader = { .family = family, .table = table };

	reader.ruleset.family = family;
	snprintf(reader.ruleset.table, sizeof(reader.ruleset.table), "%s", table);
	return reader;
}

void table_reader_free(struct table_reader *reader)
{
	for (size_t i = 0; i < reader->set_count; i++) {
		keyset_free(&reader->sets[i].collected.starts);
		keyset_free(&reader->sets[i].collected.ends);
		keyset_free(&reader->sets[i].keys);
		set_stream_free(reader->sets[i].stream);
	}
	free(reader->sets);
	ruleset_free(&reader->ruleset);
	*reader = (struct table_reader){ 0 };
}

/* Whether the message's object stands in our table. */
static bool is_ours(const struct table_reader *reader, const struct netlink_message *message,
		    uint16_t attribute)
{
	char table[RULESET_NAME_SIZE];

	return message->family == table_family_number(reader->family) &&
	       attribute_text(message->payload, attribute, table, sizeof(table)) &&
	       !strcmp(table, reader->table);
}

/* The ruleset's comment, which stands on its first rule. */
static void take_comment(struct cursor data, char ret[RULESET_COMMENT_SIZE])
{
	uint8_t type, length;

	while (cursor_u8(&data, &type) && cursor_u8(&data, &length)) {
		const uint8_t *text = cursor_take(&data, length);

		if (!text)
			return;
		if (type == DATA_RULE_COMMENT && length <= RULESET_COMMENT_SIZE) {
			size_t used = strnlen((const char *)text, length);

			if (used == RULESET_COMMENT_SIZE)
				used--;
			memcpy(ret, text, used);
			ret[used] = '\0';
		}
	}
}

static bool take_table(struct table_reader *reader, const struct netlink_message *message)
{
	reader->present = true;
	attribute_u32(message->payload, NFTA_TABLE_FLAGS, &reader->ruleset.flags);
	return true;
}

/*
 * A rule that no ruleset of ours has, so that a comparison finds what else is unusual about the
 * chain.
 */
static void add_foreign_rule(struct chain *chain, const char *text)
{
	struct statement foreign = { .kind = FOREIGN };

	snprintf(foreign.name, sizeof(foreign.name), "%s", text);
	chain_add_rule(chain, &foreign, 1);
}

static bool take_hook(struct chain *chain, const struct netlink_message *message,
		      struct cursor hook)
{
	uint32_t number, priority, policy = NF_ACCEPT;
	char type[16];

	if (!attribute_u32(hook, NFTA_HOOK_HOOKNUM, &number) ||
	    !attribute_u32(hook, NFTA_HOOK_PRIORITY, &priority))
		return false;
	attribute_u32(message->payload, NFTA_CHAIN_POLICY, &policy);
	chain->base = true;
	chain->priority = (int32_t)priority;
	chain->policy_drop = policy != NF_ACCEPT;
	if (!attribute_text(message->payload, NFTA_CHAIN_TYPE, type, sizeof(type)) ||
	    strcmp(type, "filter") != 0)
		add_foreign_rule(chain, "a chain of another type than filter");
	switch (number) {
	case NF_INET_LOCAL_IN:
		chain->hook = HOOK_INPUT;
		break;
	case NF_INET_FORWARD:
		chain->hook = HOOK_FORWARD;
		break;
	case NF_INET_LOCAL_OUT:
		chain->hook = HOOK_OUTPUT;
		break;
	case NF_INET_POST_ROUTING:
		chain->hook = HOOK_POSTROUTING;
		break;
	default:
		add_foreign_rule(chain, "a chain on another hook");
	}
	return true;
}

static bool take_chain(struct table_reader *reader, const struct netlink_message *message)
{
	char name[RULESET_NAME_SIZE];
	struct attribute hook;
	struct chain *chain;

	if (!attribute_text(message->payload, NFTA_CHAIN_NAME, name, sizeof(name)))
		snprintf(name, sizeof(name), "(a chain with a long name)");
	chain = ruleset_add_chain(&reader->ruleset, name);
	return !attribute_find(message->payload, NFTA_CHAIN_HOOK, &hook) ||
	       take_hook(chain, message, hook.payload);
}

static const struct keyset *find_anonymous_keys(void *context, const char *name, uint32_t id)
{
	const struct read_set *set = table_reader_find_set(context, name, id);

	return set && set->anonymous && !set->strange ? &set->keys : NULL;
}

static bool take_rule(struct table_reader *reader, const struct netlink_message *message)
{
	char name[RULESET_NAME_SIZE];
	struct expressions expressions = { 0 };
	struct chain *chain;
	struct rule rule, *added;
	struct attribute data, list;
	uint64_t handle = 0;

	if (!attribute_text(message->payload, NFTA_RULE_CHAIN, name, sizeof(name)))
		snprintf(name, sizeof(name), "(a chain with a long name)");
	table_reader_seal(reader);
	chain = (struct chain *)ruleset_find_chain(&reader->ruleset, name);
	if (!chain)
		return false;
	attribute_u64(message->payload, NFTA_RULE_HANDLE, &handle);
	if (!*reader->ruleset.comment &&
	    attribute_find(message->payload, NFTA_RULE_USERDATA, &data))
		take_comment(data.payload, reader->ruleset.comment);
	if (attribute_find(message->payload, NFTA_RULE_EXPRESSIONS, &list))
		expressions_read(list.payload, find_anonymous_keys, reader, &expressions);
	rule_decode(reader->family, &expressions, &rule);
	expressions_free(&expressions);
	added = chain_add_rule(chain, rule.statements, rule.count);
	added->handle = handle;
	free(rule.statements); /* copied; their ports are the chain's now */
	return true;
}

bool table_reader_take(void *context, const struct netlink_message *message)
{
	struct table_reader *reader = context;

	if (message->type >> 8 != NFNL_SUBSYS_NFTABLES)
		return true;
	switch (message->type & 0xff) {
	case NFT_MSG_NEWTABLE:
		return !is_ours(reader, message, NFTA_TABLE_NAME) || take_table(reader, message);
	case NFT_MSG_NEWSET:
		return !is_ours(reader, message, NFTA_SET_TABLE) ||
		       table_reader_take_set(reader, message);
	case NFT_MSG_NEWSETELEM:
		return !is_ours(reader, message, NFTA_SET_ELEM_LIST_TABLE) ||
		       table_reader_take_elements(reader, message);
	case NFT_MSG_NEWCHAIN:
		return !is_ours(reader, message, NFTA_CHAIN_TABLE) || take_chain(reader, message);
	case NFT_MSG_NEWRULE:
		return !is_ours(reader, message, NFTA_RULE_TABLE) || take_rule(reader, message);
	default:
		return true;
	}
}

void table_reader_finish(struct table_reader *reader, struct ruleset *ret)
{
	table_reader_seal(reader);
	for (size_t i = 0; i < reader->set_count; i++) {
		struct read_set *set = &reader->sets[i];
		struct set *added;

		if (set->anonymous)
			continue;
		if (set->strange) {
			ruleset_add_set(&reader->ruleset, set->name, SET_FOREIGN, false)->foreign =
				set->strange;
			continue;
		}
		added = ruleset_add_set(&reader->ruleset, set->name, set->type, set->interval);
		if (set->stream) {
			/*
			 * Equal, so the wanted keys may stand for it; nft_verify() takes them out
			 * again.
			 */
			added->keys = *set->stream->wanted;
			continue;
		}
		added->keys = set->keys;
		set->keys = keyset_new(set->width, set->interval);
	}
	*ret = reader->ruleset;
	reader->ruleset = (struct ruleset){ 0 };
}
