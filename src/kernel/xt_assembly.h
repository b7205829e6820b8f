/* xt_assembly.h: a legacy xtables table that is being put together, for xt_table_replace(). */
#ifndef EGRESSFW_KERNEL_XT_ASSEMBLY_H
#define EGRESSFW_KERNEL_XT_ASSEMBLY_H

#include "kernel/xt_table.h"

/*
 * Theory of operation. The new table is put together entry by entry: first the chains of the hooks,
 * in which our jumps are new and our old ones left out, then the users' chains, ours each before
 * the first one with a greater name (libiptc keeps them sorted). Jumps are written in the end, when
 * every offset is known: of a kept entry to the same entry, of ours to a chain by its name.
 */
struct xt_piece {
	size_t offset, length;   /* in the new bytes */
	size_t kept;             /* its index before, or SIZE_MAX */
	char jump[XT_NAME_SIZE]; /* of ours: the chain it jumps to, or "" */
};

struct xt_our_chain {
	char name[XT_NAME_SIZE];
	const struct chain *chain; /* NULL: it is empty, its name is the digest */
	size_t start;              /* the piece behind its head, once it is in */
};

struct xt_assembly {
	const struct xt_table *table;
	const char *name;
	const struct ruleset *ours;
	const struct xt_kernel *kernel;
	struct xt_info info;
	struct buffer bytes;
	struct xt_piece *pieces;
	size_t count;
	size_t *moved;               /* for each old entry its new index, or SIZE_MAX */
	struct xt_our_chain *chains; /* sorted by name */
	size_t chain_count;
	size_t next_chain; /* the first that is not yet in */
	struct err *err;
};

/* Our chain to which the kept entry of this index jumps, or NULL. */
const char *xt_assembly_our_target(const struct xt_assembly *assembly, size_t index);

/*
 * Once all pieces are in: writes the jumps, and sets the offsets and sizes of `info`. False: one
 * leads to a chain that is gone, or the table is larger than the kernel takes.
 */
bool xt_assembly_link(struct xt_assembly *assembly);

#endif
