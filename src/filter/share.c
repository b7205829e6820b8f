/* share.c: what of the filter's limits one user has, so that nobody has all of them. */
#include "filter/share.h"

#include "base/memory.h"

#include <stdlib.h>

enum { OF_WHAT_IS_LEFT = 7, BLOCK = 65536 };

/* 0 is nobody who is known. */
static uint32_t user_of(bool has_uid, uint32_t uid)
{
	if (!has_uid)
		return 0;
	return 1 + (uid < BLOCK ? uid : BLOCK + uid / BLOCK);
}

struct share *share_of(struct shares *shares, bool has_uid, uint32_t uid)
{
	uint32_t user = user_of(has_uid, uid);
	struct share *share;

	LIST_FOREACH (share, &shares->buckets[user % SHARE_BUCKETS], entry)
		if (share->user == user)
			return share;
	share = memory_allocate(1, sizeof(*share));
	share->all = shares;
	share->user = user;
	TAILQ_INIT(&share->awaited);
	TAILQ_INIT(&share->later);
	LIST_INSERT_HEAD(&shares->buckets[user % SHARE_BUCKETS], share, entry);
	shares->count++;
	return share;
}

void share_less(struct share *share)
{
	if (share->clients || share->lookups || share->attempts || share->refused)
		return;
	if (share->all->running == share)
		share->all->running = NULL;
	LIST_REMOVE(share, entry);
	share->all->count--;
	free(share);
}

const struct share *shares_largest_awaited(const struct shares *shares)
{
	const struct share *largest = NULL, *share;

	for (size_t i = 0; i < SHARE_BUCKETS; i++)
		LIST_FOREACH (share, &shares->buckets[i], entry)
			if (!TAILQ_EMPTY(&share->awaited) &&
			    (!largest || share->clients > largest->clients))
				largest = share;
	return largest;
}

bool share_may(size_t own, size_t all, size_t most)
{
	return all < most && own < OF_WHAT_IS_LEFT * (most - all);
}
