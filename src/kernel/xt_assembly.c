/* xt_assembly.c: the offsets of a legacy xtables table that was put together: its jumps and its hooks. */
#include "kernel/xt_assembly.h"

#include <string.h>

const char *xt_assembly_our_target(const struct xt_assembly *assembly, size_t index)
{
	const struct xt_table *table = assembly->table;
	size_t target = table->entries[index].target;
	const char *chain;

	if (!target || !table->entries[target - 1].head)
		return NULL;
	chain = table->entries[target - 1].chain;
	return xt_chain_is_ours(chain, assembly->name) ? chain : NULL;
}

static bool find_chain(const struct xt_assembly *assembly, const char *name, size_t *ret_offset)
{
	for (size_t i = 0; i < assembly->chain_count; i++)
		if (!strcmp(assembly->chains[i].name, name)) {
			*ret_offset = assembly->pieces[assembly->chains[i].start].offset;
			return true;
		}
	return false;
}

/* Where a piece jumps to in the new table. */
static bool find_target(const struct xt_assembly *assembly, const struct xt_piece *piece,
			bool *ret_jumps, size_t *ret_offset)
{
	const struct xt_entry *entry =
		piece->kept == SIZE_MAX ? NULL : &assembly->table->entries[piece->kept];
	const char *chain = piece->jump;

	*ret_jumps = entry ? entry->jumps : *chain;
	if (!*ret_jumps)
		return true;
	if (entry && assembly->moved[entry->target] != SIZE_MAX) {
		*ret_offset = assembly->pieces[assembly->moved[entry->target]].offset;
		return true;
	}
	if (entry)
		chain = xt_assembly_our_target(assembly, piece->kept);
	if (chain && find_chain(assembly, chain, ret_offset))
		return true;
	err_set(assembly->err,
		"a rule that is not ours leads to chain %s, which would be gone: take it out first",
		chain ? chain : "of ours");
	return false;
}

static bool write_jumps(struct xt_assembly *assembly)
{
	for (size_t i = 0; i < assembly->count; i++) {
		const struct xt_piece *piece = &assembly->pieces[i];
		size_t offset = 0;
		bool jumps;

		if (!find_target(assembly, piece, &jumps, &offset))
			return false;
		if (jumps)
			xt_entry_set_verdict(assembly->bytes.data + piece->offset, piece->length,
					     (int32_t)offset);
	}
	return true;
}

bool xt_assembly_link(struct xt_assembly *assembly)
{
	size_t limit = assembly->kernel->plain ? XT_PLAIN_SIZE_MAX : XT_TABLE_SIZE_MAX;

	/* What stands may be larger already, and is not to be kept from getting smaller. */
	if (assembly->ours && assembly->bytes.length > limit) {
		err_set(assembly->err,
			"the table \"filter\" of %s would have %zu bytes, and this kernel takes "
			"%zu: name fewer addresses and users",
			assembly->table->family == TABLE_IP6 ? "IPv6" : "IPv4",
			assembly->bytes.length, limit);
		return false;
	}
	if (!write_jumps(assembly))
		return false;
	for (unsigned hook = 0; hook < XT_HOOKS; hook++) {
		struct xt_info *info = &assembly->info;

		if (!(info->valid_hooks & 1U << hook))
			continue;
		info->hook_entry[hook] = (uint32_t)assembly->pieces[info->hook_entry[hook]].offset;
		info->underflow[hook] = (uint32_t)assembly->pieces[info->underflow[hook]].offset;
	}
	assembly->info.entries = (uint32_t)assembly->count;
	assembly->info.size = (uint32_t)assembly->bytes.length;
	return true;
}
