/*
 * nft_query.c: what is asked of the kernel besides whole tables: removal, names, counters, other
 * chains.
 */
#include "kernel/nft_link.h"

#include "base/memory.h"
#include "kernel/nft_batch.h"
#include "kernel/nft_commit.h"
#include "kernel/nft_encode.h"
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <stdlib.h>
#include <string.h>

bool nft_remove(struct nft *nft, enum table_family family, const char *table, bool *ret_present,
		struct err *err)
{
	struct refusal refusal = { 0 };
	struct batch batch;
	enum commit_status status;

	batch_begin(&batch, nft->sequence + 1, 0);
	encode_removal(&batch, family, table);
	batch_end(&batch);
	nft->sequence += (uint32_t)batch.count;
	status = nft_transact(nft, &batch, &refusal, err);
	batch_free(&batch);
	if (status == COMMIT_DONE || (status == COMMIT_REFUSED && refusal.errnum == ENOENT)) {
		*ret_present = status == COMMIT_DONE;
		return true;
	}
	err_wrap(err, "cannot remove table %s", table);
	return false;
}

/* The family numbers in which names of tables mean something to us, as nft(8) writes them. */
static const char *family_text(uint8_t family)
{
	switch (family) {
	case NFPROTO_INET:
		return "inet";
	case NFPROTO_IPV4:
		return "ip";
	case NFPROTO_IPV6:
		return "ip6";
	}
	return NULL;
}

/* Asks again, from the start, when a change interrupted the answer. */
static bool ask(struct nft *nft, const struct request *request, take_message *take,
		void (*reset)(void *context), void *context, struct err *err)
{
	int errnum = EINTR;

	for (unsigned attempt = 0; errnum == EINTR && attempt < 20; attempt++) {
		reset(context);
		if (nft_ask(nft, request, take, context, &errnum, err))
			return true;
	}
	return false;
}

struct names {
	uint8_t family;
	char **items;
	size_t count;
};

static void names_reset(void *context)
{
	struct names *names = context;

	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	names->items = NULL;
	names->count = 0;
}

static bool take_name(void *context, const struct netlink_message *message)
{
	static const char ours[] = "egressfw";
	struct names *names = context;
	char name[RULESET_NAME_SIZE];

	/* A name that does not fit is none that we gave. */
	if (message->family != names->family ||
	    !attribute_text(message->payload, NFTA_TABLE_NAME, name, sizeof(name)) ||
	    strncmp(name, ours, sizeof(ours) - 1) != 0)
		return true;
	names->items = memory_resize(names->items, names->count + 1, sizeof(*names->items));
	names->items[names->count++] = memory_copy_string(name);
	return true;
}

bool nft_list_ours(struct nft *nft, enum table_family family, char ***ret_names, size_t *ret_count,
		   struct err *err)
{
	struct names names = { .family = table_family_number(family) };
	const struct request request = { .type = NFT_MSG_GETTABLE,
					 .dump = true,
					 .family = names.family };

	if (!ask(nft, &request, take_name, names_reset, &names, err)) {
		names_reset(&names);
		return false;
	}
	*ret_names = names.items;
	*ret_count = names.count;
	return true;
}

struct tally {
	const char *table, *chain;
	bool any;
	uint64_t packets;
};

static void tally_reset(void *context)
{
	struct tally *tally = context;

	tally->any = false;
	tally->packets = 0;
}

/* Adds the packets of every counter expression of one rule. */
static bool take_counters(void *context, const struct netlink_message *message)
{
	struct tally *tally = context;
	char table[RULESET_NAME_SIZE], chain[RULESET_NAME_SIZE], name[16];
	struct attribute list, element, data;
	uint64_t packets;

	/* Older kernels dump more than was asked for. */
	if (!attribute_text(message->payload, NFTA_RULE_TABLE, table, sizeof(table)) ||
	    strcmp(table, tally->table) ||
	    !attribute_text(message->payload, NFTA_RULE_CHAIN, chain, sizeof(chain)) ||
	    strcmp(chain, tally->chain) ||
	    !attribute_find(message->payload, NFTA_RULE_EXPRESSIONS, &list))
		return true;
	while (attribute_next(&list.payload, &element)) {
		if (!attribute_text(element.payload, NFTA_EXPR_NAME, name, sizeof(name)) ||
		    strcmp(name, "counter") ||
		    !attribute_find(element.payload, NFTA_EXPR_DATA, &data))
			continue;
		if (!attribute_u64(data.payload, NFTA_COUNTER_PACKETS, &packets))
			return false;
		tally->packets += packets;
		tally->any = true;
	}
	return true;
}

bool nft_count_packets(struct nft *nft, enum table_family family, const char *table,
		       const char *chain, uint64_t *ret_packets, struct err *err)
{
	const struct request request = {
		.type = NFT_MSG_GETRULE,
		.dump = true,
		.family = table_family_number(family),
		.table_attribute = NFTA_RULE_TABLE,
		.table = table,
		.name_attribute = NFTA_RULE_CHAIN,
		.name = chain,
	};
	struct tally tally = { .table = table, .chain = chain };

	if (!ask(nft, &request, take_counters, tally_reset, &tally, err))
		return false;
	if (!tally.any) {
		err_set(err, "chain %s of table %s has no counter, or is not there", chain, table);
		return false;
	}
	*ret_packets = tally.packets;
	return true;
}

struct foreign_chains {
	const char *table;
	struct findings findings;
};

static void foreign_chains_reset(void *context)
{
	struct foreign_chains *foreign = context;

	findings_free(&foreign->findings);
}

static bool take_foreign_chain(void *context, const struct netlink_message *message)
{
	struct foreign_chains *foreign = context;
	char table[256], chain[256]; /* NFT_NAME_MAXLEN */
	const char *family = family_text(message->family);
	struct attribute hook;
	uint32_t number, priority;
	bool ours;

	if (!family || !attribute_find(message->payload, NFTA_CHAIN_HOOK, &hook) ||
	    !attribute_u32(hook.payload, NFTA_HOOK_HOOKNUM, &number) ||
	    number != NF_INET_LOCAL_OUT ||
	    !attribute_u32(hook.payload, NFTA_HOOK_PRIORITY, &priority) ||
	    !attribute_text(message->payload, NFTA_CHAIN_TABLE, table, sizeof(table)) ||
	    !attribute_text(message->payload, NFTA_CHAIN_NAME, chain, sizeof(chain)) ||
	    !strcmp(table, foreign->table))
		return true;
	ours = plan_table_instance(table) && !strcmp(chain, "output");
	findings_add(&foreign->findings, ours ? FINDING_OTHER_INSTANCE : FINDING_FOREIGN_CHAIN,
		     memory_format("chain %s of table %s %s", chain, family, table),
		     memory_format("also on output, priority %" PRId32 "%s", (int32_t)priority,
				   ours ? ": by its name another instance of ours" : ""));
	return true;
}

bool nft_foreign_output_chains(struct nft *nft, const char *table, struct findings *findings,
			       struct err *err)
{
	const struct request request = { .type = NFT_MSG_GETCHAIN,
					 .dump = true,
					 .family = NFPROTO_UNSPEC };
	struct foreign_chains foreign = { .table = table };

	if (!ask(nft, &request, take_foreign_chain, foreign_chains_reset, &foreign, err)) {
		findings_free(&foreign.findings);
		return false;
	}
	for (size_t i = 0; i < foreign.findings.count; i++)
		findings_add(findings, foreign.findings.items[i].kind,
			     foreign.findings.items[i].object, foreign.findings.items[i].detail);
	free(foreign.findings.items); /* its strings were handed on */
	return true;
}
