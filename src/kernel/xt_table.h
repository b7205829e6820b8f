/* xt_table.h: a legacy xtables table as the kernel hands it out, and with our chains put in. */
#ifndef EGRESSFW_KERNEL_XT_TABLE_H
#define EGRESSFW_KERNEL_XT_TABLE_H

#include "base/buffer.h"
#include "base/err.h"
#include "kernel/xt_entry.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure: from bytes to bytes. The chains of a table "egressfw" are "egressfw" (its chain "output"),
 * "egressfw/confined" and so on, and "egressfw#DIGEST", which is empty: its name is the only place
 * that every kernel has for the digest, cut to what fits.
 */
enum { XT_HOOKS = 5 };

/* What IPT_SO_GET_INFO says besides the name, and IPT_SO_SET_REPLACE wants. */
struct xt_info {
	uint32_t valid_hooks;
	uint32_t hook_entry[XT_HOOKS]; /* offset of a hook's first rule */
	uint32_t underflow[XT_HOOKS];  /* and of its policy */
	uint32_t entries, size;
};

struct xt_entry {
	size_t offset, length;
	bool head;                /* the head of a user's chain, or the last entry of the table */
	char chain[XT_NAME_SIZE]; /* its name; of the last "ERROR" */
	bool jumps;
	size_t target; /* the index of the entry that it jumps to */
};

struct xt_table {
	enum table_family family; /* TABLE_IP or TABLE_IP6 */
	struct xt_info info;
	uint8_t *bytes; /* info.size of them */
	struct xt_entry *entries;
};

/*
 * Reads what the kernel (or whoever stands in for it) gave. The bytes are copied. False: they are
 * no table; every offset in a table that was read is one of an entry.
 */
bool xt_table_parse(enum table_family family, const struct xt_info *info, const uint8_t *bytes,
		    size_t length, struct xt_table *ret, struct err *err);
void xt_table_free(struct xt_table *table);

/* Our base chains, and the hooks of the table that jump to them. */
enum { XT_BASE_CHAINS = 3 };
struct xt_base_chain {
	const char *name;
	enum hook hook;
	unsigned number; /* NF_INET_LOCAL_OUT, ... */
};
extern const struct xt_base_chain xt_base_chains[XT_BASE_CHAINS];

/*
 * The same table with our chains of the name replaced by those of a ruleset of ruleset_lower(), or
 * (NULL) without them. The jump to a base chain becomes the first entry of its hook. Every other
 * entry is copied as it is, but for the offset of a jump. ret->kept has for every entry the index
 * that it had, or SIZE_MAX. Free it with xt_replacement_free(). False: a rule has no entry, a
 * foreign one leads to a chain of ours that would be gone, or the table would be larger than
 * XT_TABLE_SIZE_MAX, or XT_PLAIN_SIZE_MAX on a plain kernel.
 */
enum {
	XT_TABLE_SIZE_MAX = 64 << 20,
	XT_PLAIN_SIZE_MAX =
		8192 - 96, /* gVisor's longest option, without the head of a replacement */
};
struct xt_replacement {
	struct xt_info info;
	struct buffer bytes;
	size_t *kept;
};
bool xt_table_replace(const struct xt_table *table, const char *name, const struct ruleset *ours,
		      const struct xt_kernel *kernel, struct xt_replacement *ret, struct err *err);
void xt_replacement_free(struct xt_replacement *replacement);

/*
 * Our chains of the name as a ruleset in the form of ruleset_lower(). A base chain is one only if
 * its hook jumps to it unconditionally; its priority is the number of foreign entries before that
 * jump (of OUTPUT only: everywhere else it is 0).
 */
bool xt_table_read(const struct xt_table *table, const char *name, const struct xt_kernel *kernel,
		   struct ruleset *ret);

/* The packets that all entries of a chain of ours have counted which drop or reject. */
uint64_t xt_table_count(const struct xt_table *table, const char *name, const char *chain);

/* Whether a chain name is one of ours: any of our tables', or the named table's. */
bool xt_chain_is_ours(const char *chain, const char *table);
#define XT_ANY_TABLE NULL

/* The name in the table of a chain of a ruleset, and back: of `name`, or a constant. */
void xt_chain_name(const char *table, const char *chain, char ret[XT_NAME_SIZE]);
const char *xt_chain_of(const char *table, const char *name);

#endif
