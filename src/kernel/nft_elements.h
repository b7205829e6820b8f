/* nft_elements.h: the elements of sets, straight into a batch and straight out of a dump. */
#ifndef EGRESSFW_KERNEL_NFT_ELEMENTS_H
#define EGRESSFW_KERNEL_NFT_ELEMENTS_H

#include "base/cursor.h"
#include "base/keyset.h"
#include "kernel/nft_batch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. Sets may be large, so nothing here allocates per element. In an interval set the kernel
 * holds an element for the first key of each interval and one, marked as its end, for the key
 * behind the last. As nft(8) does, a set that does not begin at zero is led by an end element
 * there, and an interval up to the highest key has no end.
 */

/* The set that elements are added to or deleted from. */
struct element_target {
	uint16_t type; /* NFT_MSG_NEWSETELEM, or DELSETELEM: without the one that leads */
	enum table_family family;
	const char *table;
	const char *set;
	uint32_t set_id; /* of an anonymous set in this batch, else 0 */
	const struct keyset *keys;
	const struct batch_object *object;
};

/*
 * Adds the elements from *next on, in as many messages as 16-bit lengths demand, as long as the
 * batch stays within `limit` bytes (0: no limit); moves *next behind what was added, up to
 * keys->count.
 */
void elements_write(struct batch *batch, const struct element_target *target, size_t limit,
		    size_t *next);

/* One element of a dump. */
struct element {
	const uint8_t *key; /* of the set's width */
	bool end;           /* an interval's end */
};

/*
 * The next of NFTA_SET_ELEM_LIST_ELEMENTS; false at the end, and with *ret_strange at one that is
 * not as ours are.
 */
bool element_next(struct cursor *elements, size_t width, struct element *ret, bool *ret_strange);

/* Collects the elements of an interval set, in any order, and makes the intervals of them. */
struct interval_ends {
	struct keyset starts, ends; /* both without intervals; sealed by interval_join() */
};

/* False where starts and ends do not alternate. *ret is fresh and sealed. */
bool interval_join(struct interval_ends *collected, struct keyset *ret);

#endif
