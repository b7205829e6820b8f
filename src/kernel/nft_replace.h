/* nft_replace.h: what stands in a table replaced by a ruleset, message after message. */
#ifndef EGRESSFW_KERNEL_NFT_REPLACE_H
#define EGRESSFW_KERNEL_NFT_REPLACE_H

#include "kernel/nft_batch.h"
#include "kernel/nft_standing.h"

#include <stdbool.h>

/*
 * Pure. What is left out of a first transaction whose successors bring it: the elements of these
 * sets and the rules that accept by them. See nft_commit.c.
 */
struct deferral {
	const bool *sets; /* by index in the ruleset */
};

/*
 * Replaces what stands in the table by the ruleset; deferral may be NULL. The users that both
 * confine meet one of the two at every moment, for which two things stay in place:
 *
 * - Base chains get other rules. Were one deleted and made anew, both would be in the hook for a
 *   moment, and a packet that comes to the new one before its rules are valid and to the old one
 *   after its rules have ceased to be would meet neither.
 * - Sets of users get the difference of their elements. Rules are valid from one moment on; kernels
 *   that look an interval set up in an array make that a moment later, and until then a set that is
 *   new has no elements.
 *
 * A table with things in it that are not ours is deleted and made anew in the same transaction.
 */
bool encode_replacement(struct batch *batch, const struct ruleset *ruleset,
			const struct standing *standing, const struct deferral *deferral,
			struct err *err);

/* Replaces the rules of every chain that has deferred ones by all of its rules. */
bool encode_deferred_rules(struct batch *batch, const struct ruleset *ruleset,
			   const struct deferral *deferral, struct err *err);

#endif
