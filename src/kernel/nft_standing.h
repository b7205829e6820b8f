/* nft_standing.h: what a table that is to be replaced has in it: names, and the users. */
#ifndef EGRESSFW_KERNEL_NFT_STANDING_H
#define EGRESSFW_KERNEL_NFT_STANDING_H

#include "kernel/nft_elements.h"
#include "kernel/nft_link.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STANDING_NAME_SIZE = 256
}; /* NFT_NAME_MAXLEN: others may have put longer names into the table than we do */

struct standing_set {
	char name[STANDING_NAME_SIZE];
	bool users;   /* of the kind that the builder makes for uids */
	bool strange; /* an element is not as ours are */
	struct interval_ends collected;
	struct keyset keys; /* of a set of users */
};

struct standing_chain {
	char name[STANDING_NAME_SIZE];
	bool base;
	bool filter;             /* of type filter */
	uint32_t hook, priority; /* NF_INET_LOCAL_OUT and its like */
};

/* Starts as { 0 }: no table. */
struct standing {
	bool present;
	/*
	 * There is more in it than sets and chains, or the table itself has user data: things that
	 * we never make, and that can only be cleared away with the table.
	 */
	bool foreign;
	struct standing_set *sets; /* and maps; not the anonymous ones, which go with their rules */
	size_t set_count;
	struct standing_chain *chains; /* likewise */
	size_t chain_count;
};

bool standing_read(struct nft *nft, enum table_family family, const char *table,
		   struct standing *ret, int *ret_errnum, struct err *err);
void standing_free(struct standing *standing);

/*
 * Whether the chain that stands there is a base chain that the wanted one can go on from, with new
 * rules.
 */
bool standing_chain_is_kept(const struct standing_chain *chain, const struct ruleset *wanted);

/*
 * Whether the wanted ruleset has a set of users by that name, and this one can become it by adding
 * and deleting.
 */
bool standing_set_is_kept(const struct standing_set *set, const struct ruleset *wanted);

/* The set that is kept for this one of the wanted ruleset; NULL: none, as in a foreign table. */
const struct standing_set *standing_kept(const struct standing *standing,
					 const struct ruleset *wanted, const struct set *set);

#endif
