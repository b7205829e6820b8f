/* dial_candidates.c: the addresses of a target that may be dialled, and their order. */
#include "filter/dial_candidates.h"

#include <stddef.h>

void dial_candidates_add(struct dial_candidates *candidates, const struct address *address)
{
	struct dial_candidate_list *list = &candidates->lists[address->family];

	if (list->count < DIAL_FAMILY_MAX)
		list->items[list->count++] = *address;
}

bool dial_candidates_left(const struct dial_candidates *candidates)
{
	for (int i = 0; i < DIAL_FAMILIES; i++)
		if (candidates->lists[i].tried < candidates->lists[i].count)
			return true;
	return false;
}

const struct address *dial_candidates_next(struct dial_candidates *candidates)
{
	for (int i = 1; i <= DIAL_FAMILIES; i++) {
		enum family family = (enum family)(((int)candidates->last + i) % DIAL_FAMILIES);
		struct dial_candidate_list *list = &candidates->lists[family];

		if (list->tried == list->count)
			continue;
		candidates->last = family;
		return &list->items[list->tried++];
	}
	return NULL;
}

bool dial_candidates_known(const struct dial_candidates *candidates)
{
	return candidates->lists[FAMILY_IPV4].known && candidates->lists[FAMILY_IPV6].known;
}
