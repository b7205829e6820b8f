/* turn.c: how long one user may keep the others waiting before it is their turn. */
#include "filter/turn.h"

#include "base/memory.h"
#include "filter/decision_log.h"
#include "filter/http.h"
#include "filter/timer.h"

#include <time.h>

/* As long as a client that has nothing more than others to say never notices. */
enum { TURN_NS = 3 * 1000 * 1000 };

static uint64_t nanoseconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void begin_turn(struct share *share)
{
	share->turn = share->all->turn;
	share->spent_ns = 0;
	share->others_first = share->left_out;
	share->left_out = false;
	if (!share->others_first)
		share->round++;
}

/* Whether it is the client's turn; if not, and it had none in this round, others come later. */
static bool may_have(struct client *client)
{
	struct share *share = client->share;
	bool had_its;

	if (share->turn != share->all->turn)
		begin_turn(share);
	had_its = client->round == share->round;
	if (share->spent_ns < TURN_NS && !(had_its && share->others_first))
		return true;
	share->left_out = share->left_out || !had_its;
	return false;
}

bool turn_begin(struct client *client, short what)
{
	struct share *share = client->share;

	if (!may_have(client) && !(what & EV_TIMEOUT))
		return false;
	client->round = share->round;
	share->all->running = share;
	share->all->began_ns = nanoseconds_now();
	return true;
}

void turn_end(struct filter *filter)
{
	struct shares *shares = &filter->shares;

	if (shares->running)
		shares->running->spent_ns += nanoseconds_now() - shares->began_ns;
	shares->running = NULL;
}

/* What is made active is called before anybody else is looked after; a timer is not. */
void turn_later(struct client *client)
{
	if (client->later)
		return;
	client->later = true;
	client->later_turn = client->share->all->turn;
	TAILQ_INSERT_TAIL(&client->share->later, client, later_entry);
	if (!evtimer_pending(client->filter->later, NULL))
		timer_set(client->filter->later, 0);
}

void turn_forget(struct client *client)
{
	if (client->later)
		TAILQ_REMOVE(&client->share->later, client, later_entry);
	client->later = false;
}

/*
 * Whether some of the user's are left for the next turn. Each goes on once: before it does so again
 * those have their turn who have something to say meanwhile.
 */
static bool resume_some(struct share *share)
{
	struct shares *shares = share->all;
	struct client *client;

	while ((client = TAILQ_FIRST(&share->later))) {
		struct filter *filter = client->filter;

		if (client->later_turn == shares->turn || !turn_begin(client, 0))
			return true;
		turn_forget(client);
		http_resume(client->http);
		/* With the last client the share is gone. */
		if (!shares->running)
			return false;
		turn_end(filter);
	}
	return false;
}

static void on_later(evutil_socket_t descriptor, short what, void *context)
{
	struct filter *filter = context;
	struct share *share, *next;
	bool left = false;

	(void)descriptor;
	(void)what;
	for (size_t i = 0; i < SHARE_BUCKETS; i++)
		for (share = LIST_FIRST(&filter->shares.buckets[i]); share; share = next) {
			next = LIST_NEXT(share, entry);
			left = resume_some(share) || left;
		}
	if (left)
		timer_set(filter->later, 0);
}

void turns_run(struct filter *filter)
{
	do {
		filter->shares.turn++;
		decision_log_turn(filter->log);
	} while (!event_base_loop(filter->base, EVLOOP_ONCE) &&
		 !event_base_got_break(filter->base));
}

void turns_open(struct filter *filter)
{
	filter->later = evtimer_new(filter->base, on_later, filter);
	if (!filter->later)
		memory_exhausted();
}

void turns_close(struct filter *filter)
{
	event_free(filter->later);
}
