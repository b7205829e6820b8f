/* xt_table.c: a legacy xtables table as the kernel hands it out: its entries, and ours of them. */
#include "kernel/xt_table.h"

#include "base/memory.h"
#include "kernel/xt_shape.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct xt_base_chain xt_base_chains[XT_BASE_CHAINS] = {
	{ CHAIN_INPUT, HOOK_INPUT, NF_INET_LOCAL_IN },
	{ CHAIN_FORWARD, HOOK_FORWARD, NF_INET_FORWARD },
	{ CHAIN_OUTPUT, HOOK_OUTPUT, NF_INET_LOCAL_OUT },
};

static bool refuse(struct err *err, const char *what)
{
	err_set(err, "the kernel's table is not understood: %s", what);
	return false;
}

/* The index of the entry at the offset; false where none begins there. */
static bool entry_at(const struct xt_table *table, size_t offset, size_t *ret)
{
	size_t low = 0, high = table->info.entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->entries[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = low;
	return low < table->info.entries && table->entries[low].offset == offset;
}

static bool read_entries(struct xt_table *table, struct err *err)
{
	size_t offset = 0;

	for (uint32_t i = 0; i < table->info.entries; i++) {
		struct xt_entry *entry = &table->entries[i];
		struct xt_entry_view view;

		if (!xt_entry_view(table->bytes + offset, table->info.size - offset, table->family,
				   &view))
			return refuse(err, "an entry is cut");
		*entry = (struct xt_entry){ .offset = offset, .length = view.length };
		entry->head = !strcmp(view.target_name, XT_ERROR_NAME);
		memcpy(entry->chain, view.chain, sizeof(entry->chain));
		entry->jumps = view.standard && view.verdict >= 0;
		entry->target = entry->jumps ? (size_t)view.verdict : 0;
		offset += view.length;
	}
	return offset == table->info.size || refuse(err, "its size is not that of its entries");
}

static bool resolve_offsets(const struct xt_table *table, struct err *err)
{
	size_t index;

	for (uint32_t i = 0; i < table->info.entries; i++)
		if (table->entries[i].jumps &&
		    !entry_at(table, table->entries[i].target, &table->entries[i].target))
			return refuse(err, "a jump leads to no entry");
	for (unsigned hook = 0; hook < XT_HOOKS; hook++) {
		if (!(table->info.valid_hooks & 1U << hook))
			continue;
		if (!entry_at(table, table->info.hook_entry[hook], &index) ||
		    !entry_at(table, table->info.underflow[hook], &index) ||
		    table->info.underflow[hook] < table->info.hook_entry[hook])
			return refuse(err, "a chain of a hook begins or ends at no entry");
	}
	return true;
}

bool xt_table_parse(enum table_family family, const struct xt_info *info, const uint8_t *bytes,
		    size_t length, struct xt_table *ret, struct err *err)
{
	struct xt_table table = { .family = family, .info = *info };

	if (info->size != length || !info->entries || info->entries > length)
		return refuse(err, "its size is not the one that was told");
	table.bytes = memory_copy(bytes, length);
	table.entries = memory_allocate(info->entries, sizeof(*table.entries));
	if (!read_entries(&table, err) || !resolve_offsets(&table, err)) {
		xt_table_free(&table);
		return false;
	}
	if (!table.entries[info->entries - 1].head) {
		xt_table_free(&table);
		return refuse(err, "it does not end in an error");
	}
	*ret = table;
	return true;
}

void xt_table_free(struct xt_table *table)
{
	free(table->bytes);
	free(table->entries);
	*table = (struct xt_table){ 0 };
}

static bool is_chain_of(const struct xt_entry *entry, const char *name)
{
	return entry->head && xt_chain_is_ours(entry->chain, name);
}

/* The chain in which the entry stands, if it is the first rule of one: its head is before it. */
static const char *chain_begun_by(const struct xt_table *table, size_t index)
{
	return index && table->entries[index - 1].head ? table->entries[index - 1].chain : NULL;
}

/* Whether the entry jumps to a chain, and does nothing but that. */
static bool is_plain_jump(const struct xt_table *table, size_t index)
{
	const struct xt_entry *entry = &table->entries[index];
	struct buffer jump = { 0 };
	bool same;

	xt_entry_jump(table->family, &jump);
	same = xt_entry_equal(table->bytes + entry->offset, entry->length, jump.data, jump.length,
			      table->family);
	buffer_free(&jump);
	return same;
}

/*
 * The jump of a hook to the chain of this name. Jumps to other tables of ours may stand before it.
 */
static bool find_jump(const struct xt_table *table, unsigned hook, const char *name,
		      int32_t *ret_before)
{
	int32_t before = 0;
	size_t index;

	if (!(table->info.valid_hooks & 1U << hook))
		return false;
	entry_at(table, table->info.hook_entry[hook], &index);
	for (; table->entries[index].offset < table->info.underflow[hook]; index++) {
		const char *target = table->entries[index].jumps
					     ? chain_begun_by(table, table->entries[index].target)
					     : NULL;

		if (target && !strcmp(target, name) && is_plain_jump(table, index)) {
			*ret_before = before;
			return true;
		}
		before += !target || !xt_chain_is_ours(target, XT_ANY_TABLE);
	}
	return false;
}

static void read_hook(const struct xt_table *table, const char *name, struct chain *chain)
{
	int32_t before;

	for (size_t i = 0; i < XT_BASE_CHAINS; i++) {
		if (strcmp(chain->name, xt_base_chains[i].name) != 0)
			continue;
		chain->base = find_jump(table, xt_base_chains[i].number, name, &before);
		if (!chain->base)
			return;
		chain->hook = xt_base_chains[i].hook;
		/* Only of what is sent another rule could let something out before. */
		chain->priority = chain->hook == HOOK_OUTPUT ? before : 0;
	}
}

static bool is_return(const struct xt_table *table, const struct xt_entry *entry)
{
	struct buffer end = { 0 };
	bool same;

	xt_entry_return(table->family, &end);
	same = xt_entry_equal(table->bytes + entry->offset, entry->length, end.data, end.length,
			      table->family);
	buffer_free(&end);
	return same;
}

/* The rules behind the head at the index, up to the return that ends the chain. */
static void read_chain(const struct xt_table *table, const char *name, size_t head,
		       const struct xt_kernel *kernel, struct ruleset *ruleset)
{
	const char *chain_name = table->entries[head].chain;
	struct chain *chain = ruleset_add_chain(ruleset, xt_chain_of(name, chain_name));

	read_hook(table, chain_name, chain);
	for (size_t i = head + 1; i < table->info.entries && !table->entries[i].head; i++) {
		const struct xt_entry *entry = &table->entries[i];
		const char *target = entry->jumps ? chain_begun_by(table, entry->target) : NULL;

		if (is_return(table, entry) && table->entries[i + 1].head)
			break;
		if (target && xt_chain_is_ours(target, name))
			target = xt_chain_of(name, target);
		xt_entry_decode(table->bytes + entry->offset, entry->length, table->family, kernel,
				target, chain);
	}
}

/* The digest counts as whole where the part of it that is in the name is right. */
static void read_digest(struct ruleset *ruleset, const char *found)
{
	char digest[65];

	ruleset_digest(ruleset, digest);
	if (*found && !strncmp(digest, found, strlen(found)))
		found = digest;
	snprintf(ruleset->comment, sizeof(ruleset->comment), "%s", found);
}

bool xt_table_read(const struct xt_table *table, const char *name, const struct xt_kernel *kernel,
		   struct ruleset *ret)
{
	struct ruleset ruleset = { .family = table->family };
	const char *digest = "";
	bool any = false;

	snprintf(ruleset.table, sizeof(ruleset.table), "%s", name);
	for (size_t i = 0; i + 1 < table->info.entries; i++) {
		const struct xt_entry *entry = &table->entries[i];

		if (!is_chain_of(entry, name))
			continue;
		any = true;
		if (entry->chain[strlen(name)] == '#')
			digest = entry->chain + strlen(name) + 1;
		else
			read_chain(table, name, i, kernel, &ruleset);
	}
	if (!any) {
		*ret = (struct ruleset){ 0 };
		return false;
	}
	ruleset_derive_users(&ruleset);
	read_digest(&ruleset, digest);
	*ret = ruleset;
	return true;
}

uint64_t xt_table_count(const struct xt_table *table, const char *name, const char *chain)
{
	char wanted[XT_NAME_SIZE];
	uint64_t packets = 0;
	bool inside = false;

	xt_chain_name(name, chain, wanted);
	for (size_t i = 0; i < table->info.entries; i++) {
		const struct xt_entry *entry = &table->entries[i];
		struct xt_entry_view view;

		if (entry->head)
			inside = !strcmp(entry->chain, wanted);
		else if (inside &&
			 xt_entry_view(table->bytes + entry->offset, entry->length, table->family,
				       &view) &&
			 ((view.standard && view.verdict == -NF_DROP - 1) ||
			  !strcmp(view.target_name, XT_TARGET_REJECT)))
			packets += view.packets;
	}
	return packets;
}
