/* xt_table_replace.c: a legacy xtables table with our chains put in, in place of those there were. */
#include "kernel/xt_assembly.h"

#include "base/memory.h"
#include "kernel/xt_shape.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct xt_piece *add_piece(struct xt_assembly *assembly, size_t start, size_t kept)
{
	struct xt_piece *piece;

	if (!(assembly->count & (assembly->count - 1)))
		assembly->pieces =
			memory_resize(assembly->pieces, assembly->count ? assembly->count * 2 : 1,
				      sizeof(*assembly->pieces));
	piece = &assembly->pieces[assembly->count++];
	*piece = (struct xt_piece){ .offset = start,
				    .length = assembly->bytes.length - start,
				    .kept = kept };
	return piece;
}

static void keep(struct xt_assembly *assembly, size_t index)
{
	const struct xt_entry *entry = &assembly->table->entries[index];
	size_t start = assembly->bytes.length;

	buffer_append(&assembly->bytes, assembly->table->bytes + entry->offset, entry->length);
	assembly->moved[index] = assembly->count;
	add_piece(assembly, start, index);
}

static void add_jump(struct xt_assembly *assembly, const char *chain)
{
	size_t start = assembly->bytes.length;

	if (!assembly->ours || !ruleset_find_chain(assembly->ours, chain))
		return;
	xt_entry_jump(assembly->table->family, &assembly->bytes);
	xt_chain_name(assembly->name, chain, add_piece(assembly, start, SIZE_MAX)->jump);
}

/* The entries of the hooks: everything before the first user's chain. */
static size_t add_hooks(struct xt_assembly *assembly)
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
		if (!xt_assembly_our_target(assembly, index))
			keep(assembly, index);
	}
	return index;
}

static bool add_rule(struct xt_assembly *assembly, const struct rule *rule)
{
	size_t start = assembly->bytes.length;
	struct xt_piece *piece;
	const char *jump;

	if (!xt_entry_encode(rule, assembly->table->family, assembly->kernel, &assembly->bytes,
			     &jump, assembly->err))
		return false;
	piece = add_piece(assembly, start, SIZE_MAX);
	if (jump)
		xt_chain_name(assembly->name, jump, piece->jump);
	return true;
}

static bool add_chain(struct xt_assembly *assembly, struct xt_our_chain *ours)
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
	return strcmp(((const struct xt_our_chain *)one)->name,
		      ((const struct xt_our_chain *)other)->name);
}

static void name_ours(struct xt_assembly *assembly)
{
	const struct ruleset *ours = assembly->ours;
	struct xt_our_chain *last;
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
static bool add_ours_before(struct xt_assembly *assembly, const char *next)
{
	while (assembly->next_chain < assembly->chain_count) {
		struct xt_our_chain *ours = &assembly->chains[assembly->next_chain];

		if (next && strcmp(ours->name, next) >= 0)
			return true;
		assembly->next_chain++;
		if (!add_chain(assembly, ours))
			return false;
	}
	return true;
}

static bool add_chains(struct xt_assembly *assembly, size_t index)
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

static void give(struct xt_assembly *assembly, struct xt_replacement *ret)
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
	struct xt_assembly assembly = {
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
	good = add_chains(&assembly, add_hooks(&assembly)) && xt_assembly_link(&assembly);
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
