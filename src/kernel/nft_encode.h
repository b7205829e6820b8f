/* nft_encode.h: the objects of a ruleset as the messages of a batch. */
#ifndef EGRESSFW_KERNEL_NFT_ENCODE_H
#define EGRESSFW_KERNEL_NFT_ENCODE_H

#include "base/err.h"
#include "kernel/nft_batch.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Pure. Each adds one object; false where it cannot be said, with the object's name in the
 * sentence. A rule brings its anonymous sets, and the ruleset's comment if it is the first.
 */
void encode_table(struct batch *batch, const struct ruleset *ruleset);
bool encode_set(struct batch *batch, const struct ruleset *ruleset, const struct set *set,
		struct err *err);
bool encode_chain(struct batch *batch, const struct ruleset *ruleset, const struct chain *chain,
		  struct err *err);
bool encode_rule(struct batch *batch, const struct ruleset *ruleset, const struct chain *chain,
		 size_t index, struct err *err);

/* Adds elements of one set from *next on, within limit bytes (0: no limit); moves *next. */
void encode_set_elements(struct batch *batch, const struct ruleset *ruleset, const struct set *set,
			 size_t limit, size_t *next);

/* Deletes the table. */
void encode_removal(struct batch *batch, enum table_family family, const char *table);

#endif
