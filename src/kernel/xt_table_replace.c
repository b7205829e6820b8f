/* xt_table_replace.c: a legacy xtables table with our chains put in, in place of those there were. */
#include "kernel/xt_table.h"

#include "base/memory.h"
#include "kernel/xt_shape.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. The new table is put together entry by entry: first the chains of the hooks,
 * in which our jumps are new and our old ones left out, then the users' chains, ours each before
 * the first one with a greater name (libiptc keeps them sorted). Jumps are written in the end, when
 * every offset is known: of a kept entry to the same entry, of ours to a chain by its name.
 */
struct piece {
	size_t offset, length;   /* in the new bytes */
	size_t kept;             /* its index before, or SIZE_MAX */
	char jump[XT_NAME_SIZE]; /* of ours: the chain it jumps to, or "" */
};

struct our_chain {
	char name[XT_NAME_SIZE];
	const struct chain *chain; /* NULL: it is empty, its name is the digest */
	size_t start;              /* the piece behind its head, once it is in */
};

struct assembly {
	const struct xt_table *table;
	const char *name;
	const struct ruleset *ours;
	const struct xt_kernel *kernel;
	struct xt_info info;
	struct buffer bytes;
	struct piece *pieces;
	size_t count;
	size_t *moved;            /* for each old entry its new index, or SIZE_MAX */
	struct our_chain *chains; /* sorted by name */
	size_t chain_count;
	size_t next_chain; /* the first that is not yet in */
	struct err *err;
};

static struct piece *add_piece(struct assembly *assembly, size_t start, size_t kept)
{
	struct piece *piece;

	if (!(assembly->count & (assembly->count - 1)))
		assembly->pieces =
			memory_resize(assembly->pieces, assembly->count ? assembly->count * 2 : 1,
				      sizeof(*assembly->pieces));
	piece = &assembly->pieces[assembly->count++];
	*piece = (struct piece){ .offset = start,
				 .length = assembly->bytes.length - start,
				 .kept = kept };
	return piece;
}

static void keep(struct assembly *assembly, size_t index)
{
	const struct xt_entry *entry = &assembly->table->entries[index];
	size_t start = assembly->bytes.length;

	buffer_append(&assembly->bytes, assembly->table->bytes + entry->offset, entry->length);
	assembly->moved[index] = assembly->count;
	add_piece(assembly, start, index);
}

/* Our chain that begins at the entry to which this one jumps, or NULL. */
static const char *our_target(const struct assembly *assembly, size_t index)
{
	const struct xt_table *table = assembly->table;
	size_t target = table->entries[index].target;
	const char *chain;

	if (!target || !table->entries[target - 1].head)
		return NULL;
	chain = table->entries[target - 1].chain;
	return xt_chain_is_ours(chain, assembly->name) ? chain : NULL;
}

static void add_jump(struct assembly *assembly, const char *chain)
{
	size_t start = assembly->bytes.length;

	if (!assembly->ours || !ruleset_find_chain(assembly->ours, chain))
		return;
	xt_entry_jump(assembly->table->family, &assembly->bytes);
	xt_chain_name(assembly->name, chain, add_piece(assembly, start, SIZE_MAX)->jump);
}

/* The entries of the hooks: everything before the first user's chain. */
static size_t add_hooks(struct assembly *assembly)
{
	const struct xt_table *table = assembly->table;
	size_t index = 0;

	for (; !table->entries[index].head; index++) {
		size_t offset = table->entries[index].offset;

		for (unsigned hook = 0; hook < XT_HOOKS; hook++) {
			if (!(table->info.valid_hooks & 1U << hook))
				continue;
			if (offset == table->info.hook_entry[hook]) {
				assembly->info.hook_entry[hook] = (uint32_t)assembly->count;
				for (size_t i = 0; i < XT_BASE_CHAINS; i++)
					if (hook == xt_base_chains[i].number)
						add_jump(assembly, xt_base_chains[i].name);
			}
			if (offset == table->info.underflow[hook])
				assembly->info.underflow[hook] = (uint32_t)assembly->count;
		}
		if (!our_target(assembly, index))
			keep(assembly, index);
	}
	return index;
}

static bool add_rule(struct assembly *assembly, const struct rule *rule)
{
	size_t start = assembly->bytes.length;
	struct piece *piece;
	const char *jump;

	if (!xt_entry_encode(rule, assembly->table->family, assembly->kernel, &assembly->bytes,
			     &jump, assembly->err))
		return false;
	piece = add_piece(assembly, start, SIZE_MAX);
	if (jump)
		xt_chain_name(assembly->name, jump, piece->jump);
	return true;
}

static bool add_chain(struct assembly *assembly, struct our_chain *ours)
{
	const struct chain *chain = ours->chain;
	size_t start = assembly->bytes.length;

	xt_entry_head(assembly->table->family, ours->name, &assembly->bytes);
	add_piece(assembly, start, SIZE_MAX);
	ours->start = assembly->count;
	for (size_t i = 0; chain && i < chain->count; i++)
		if (!add_rule(assembly, &chain->rules[i])) {
			err_wrap(assembly->err, "chain %s: rule %zu", chain->name, i + 1);
			return false;
		}
	start = assembly->bytes.length;
	xt_entry_return(assembly->table->family, &assembly->bytes);
	add_piece(assembly, start, SIZE_MAX);
	return true;
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const struct our_chain *)one)->name,
		      ((const struct our_chain *)other)->name);
}

static void name_ours(struct assembly *assembly)
{
	const struct ruleset *ours = assembly->ours;
	struct our_chain *last;
	int room = XT_CHAIN_NAME_MAX - 1 - (int)strlen(assembly->name);

	assembly->chain_count = ours->chain_count + 1;
	assembly->chains = memory_allocate(assembly->chain_count, sizeof(*assembly->chains));
	for (size_t i = 0; i < ours->chain_count; i++) {
		assembly->chains[i].chain = &ours->chains[i];
		xt_chain_name(assembly->name, ours->chains[i].name, assembly->chains[i].name);
	}
	last = &assembly->chains[ours->chain_count];
	snprintf(last->name, sizeof(last->name), "%.18s#%.*s", assembly->name, room > 0 ? room : 0,
		 ours->comment);
	qsort(assembly->chains, assembly->chain_count, sizeof(*assembly->chains), compare_names);
}

/* Those of ours whose names are smaller; all that are left where there is no next chain. */
static bool add_ours_before(struct assembly *assembly, const char *next)
{
	while (assembly->next_chain < assembly->chain_count) {
		struct our_chain *ours = &assembly->chains[assembly->next_chain];

		if (next && strcmp(ours->name, next) >= 0)
			return true;
		assembly->next_chain++;
		if (!add_chain(assembly, ours))
			return false;
	}
	return true;
}

static bool add_chains(struct assembly *assembly, size_t index)
{
	const struct xt_table *table = assembly->table;
	bool ours = false;

	for (; index < table->info.entries; index++) {
		const struct xt_entry *entry = &table->entries[index];
		bool last = index + 1 == table->info.entries;

		if (entry->head) {
			ours = xt_chain_is_ours(entry->chain, assembly->name);
			if (!ours && !add_ours_before(assembly, last ? NULL : entry->chain))
				return false;
		}
		if (!ours)
			keep(assembly, index);
	}
	return true;
}

static bool find_chain(const struct assembly *assembly, const char *name, size_t *ret_offset)
{
	for (size_t i = 0; i < assembly->chain_count; i++)
		if (!strcmp(assembly->chains[i].name, name)) {
			*ret_offset = assembly->pieces[assembly->chains[i].start].offset;
			return true;
		}
	return false;
}

/* Where a piece jumps to in the new table. */
static bool find_target(const struct assembly *assembly, const struct piece *piece, bool *ret_jumps,
			size_t *ret_offset)
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
		chain = our_target(assembly, piece->kept);
	if (chain && find_chain(assembly, chain, ret_offset))
		return true;
	err_set(assembly->err,
		"a rule that is not ours leads to chain %s, which would be gone: take it out first",
		chain ? chain : "of ours");
	return false;
}

static bool write_jumps(struct assembly *assembly)
{
	for (size_t i = 0; i < assembly->count; i++) {
		const struct piece *piece = &assembly->pieces[i];
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

static bool finish(struct assembly *assembly)
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

static void give(struct assembly *assembly, struct xt_replacement *ret)
{
	*ret = (struct xt_replacement){
		.info = assembly->info,
		.bytes = assembly->bytes,
		.kept = memory_allocate(assembly->count, sizeof(*ret->kept)),
	};
	for (size_t i = 0; i < assembly->count; i++)
		ret->kept[i] = assembly->pieces[i].kept;
	assembly->bytes = (struct buffer){ 0 };
}

bool xt_table_replace(const struct xt_table *table, const char *name, const struct ruleset *ours,
		      const struct xt_kernel *kernel, struct xt_replacement *ret, struct err *err)
{
	struct assembly assembly = {
		.table = table,
		.name = name,
		.ours = ours,
		.kernel = kernel,
		.info = { .valid_hooks = table->info.valid_hooks },
		.moved = memory_allocate(table->info.entries, sizeof(size_t)),
		.err = err,
	};
	bool good;

	for (size_t i = 0; i < table->info.entries; i++)
		assembly.moved[i] = SIZE_MAX;
	if (ours)
		name_ours(&assembly);
	good = add_chains(&assembly, add_hooks(&assembly)) && finish(&assembly);
	if (good)
		give(&assembly, ret);
	buffer_free(&assembly.bytes);
	free(assembly.pieces);
	free(assembly.moved);
	free(assembly.chains);
	return good;
}

void xt_replacement_free(struct xt_replacement *replacement)
{
	buffer_free(&replacement->bytes);
	free(replacement->kept);
	*replacement = (struct xt_replacement){ 0 };
}
