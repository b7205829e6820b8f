/* dial_candidates.h: the addresses of a target that may be dialled, and their order. */
#ifndef EGRESSFW_FILTER_DIAL_CANDIDATES_H
#define EGRESSFW_FILTER_DIAL_CANDIDATES_H

#include "base/address.h"

#include <stdbool.h>

/* Of each family some are tried; a name may have hundreds. */
enum {
	DIAL_FAMILIES = 2,
	DIAL_FAMILY_MAX = 4,
	DIAL_ADDRESSES_MAX = DIAL_FAMILIES * DIAL_FAMILY_MAX
};

/* Starts as { .last = FAMILY_IPV4 }, so that IPv6 comes first. */
struct dial_candidates {
	struct dial_candidate_list {
		struct address items[DIAL_FAMILY_MAX];
		unsigned count, tried;
		bool known; /* nothing more will come */
	} lists[DIAL_FAMILIES];
	enum family last; /* of the one that was taken last */
};

/* Beyond the limit they are left out. */
void dial_candidates_add(struct dial_candidates *candidates, const struct address *address);

bool dial_candidates_left(const struct dial_candidates *candidates);

/*
 * The next one, of the other family than the last where that has one (RFC 8305, section 4); NULL:
 * none.
 */
const struct address *dial_candidates_next(struct dial_candidates *candidates);

/* Whether nothing more will come. */
bool dial_candidates_known(const struct dial_candidates *candidates);

#endif
