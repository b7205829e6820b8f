/* share.h: what of the filter's limits one user has, so that nobody has all of them. */
#ifndef EGRESSFW_FILTER_SHARE_H
#define EGRESSFW_FILTER_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

/*
 * Theory of operation. Nobody's part is fixed: how many users there are going to be is not known,
 * and most of the time there is one. But whoever wants another one of something may have at most
 * seven times as many as are left. One user alone comes to seven eighths, two to seven fifteenths
 * each, ten to a tenth each; and whoever comes next finds room at once, without anybody having to
 * give way.
 *
 * A user with subordinate ids can be many: ids from 65536 on are one for each block of 65536.
 */
enum { SHARE_BUCKETS = 64 };

TAILQ_HEAD(client_list, client);

struct shares {
	LIST_HEAD(, share) buckets[SHARE_BUCKETS];
	size_t count; /* who have anything now */

	/* For turn.h: turns of the loop, and whose client is looked after, since when. */
	uint64_t turn;
	struct share *running; /* NULL: nobody's */
	uint64_t began_ns;
};

struct share {
	LIST_ENTRY(share) entry;
	struct shares *all;
	uint32_t user;
	/* Clients; look-ups that are open; connections that are being opened; clients sent away. */
	size_t clients, lookups, attempts, refused;
	struct client_list awaited; /* who have yet to say what they want, the oldest first */
	struct client_list later;   /* who go on when it is their turn (turn.h), the first first */

	/*
	 * For turn.h: how much of which turn its clients have had, whether some were left out, now
	 * and in the turn before; and rounds, in each of which every client has a turn.
	 */
	uint64_t turn, spent_ns;
	bool left_out, others_first;
	uint32_t round;
};

/* The share of a user, or of all who are not known; for somebody who counts himself in at once. */
struct share *share_of(struct shares *shares, bool has_uid, uint32_t uid);

/* To be called after something of it has become less. Frees a share that has nothing any more. */
void share_less(struct share *share);

/* Of those who have clients awaited the one with most clients; NULL: there are none. */
const struct share *shares_largest_awaited(const struct shares *shares);

/* Whether somebody who has `own` of `all` may have one more, of which there are at most `most`. */
bool share_may(size_t own, size_t all, size_t most);

#endif
