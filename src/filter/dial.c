/* dial.c: from a judged target to a connected socket: resolved once, every address judged, then dialled. */
#include "filter/dial.h"

#include "base/memory.h"
#include "filter/dial_attempt.h"
#include "filter/dial_candidates.h"
#include "filter/dial_reason.h"
#include "filter/judge.h"
#include "filter/names.h"
#include "filter/sockets.h"
#include "filter/timer.h"
#include "system/resolver_question.h"

#include <stdlib.h>

/*
 * Theory of operation. dial_step() is called by events alone: when more is known about the name,
 * when an attempt failed, and when the next one is due. It takes in what is new, begins at most
 * what is due, and finds out whether anything can still come. Only events end a dial, so that
 * nobody is called back from within dial_start().
 */
enum {
	NEXT_MS = 250,    /* RFC 8305, section 5: Connection Attempt Delay */
	PATIENCE_MS = 50, /* section 3: Resolution Delay, for AAAA behind A */
};

struct dial {
	struct filter *filter;
	struct share *share;
	struct target target;
	dial_done *done;
	void *context;
	struct name_wait *wait; /* NULL: the target is an address */
	struct dial_candidates candidates;
	struct attempt attempts[DIAL_ADDRESSES_MAX];
	unsigned started, running; /* attempts; running ones are counted for the share too */
	uint64_t known_ms;         /* when the first addresses came */
	uint64_t started_ms;       /* when the last attempt began */
	struct event *wake, *deadline;
	struct dial_result result; /* of the last failure, until it is connected */
};

static void dial_free(struct dial *dial)
{
	for (unsigned i = 0; i < dial->started; i++)
		attempt_stop(&dial->attempts[i]);
	dial->filter->attempt_count -= dial->running;
	dial->share->attempts -= dial->running;
	if (dial->wait)
		names_drop(dial->wait);
	event_free(dial->wake);
	event_free(dial->deadline);
	free(dial);
}

static void finish(struct dial *dial)
{
	struct dial_result result = dial->result;
	dial_done *done = dial->done;
	void *context = dial->context;

	dial_free(dial);
	done(context, &result);
}

static void fail(struct dial *dial, enum dial_status status, const char *reason)
{
	dial->result.status = status;
	dial->result.reason = reason;
	finish(dial);
}

/*
 * Whether a name may lead there, by the policy that stands now: which may be another one when the
 * server has answered. False: *ret says why.
 */
static bool may_lead_to(const struct dial *dial, const struct address *address,
			struct dial_result *ret)
{
	struct dial_result forbidden = {
		.status = DIAL_FORBIDDEN,
		.descriptor = -1,
		.has_address = true,
		.address = *address,
	};

	if (!dial->wait || judge_address(&dial->filter->settings.policy, &dial->target, address,
					 &forbidden.decision))
		return true;
	forbidden.reason = forbidden.decision.reason;
	*ret = forbidden;
	return false;
}

static void take_address(struct dial *dial, const struct address *address)
{
	struct dial_result forbidden;

	if (may_lead_to(dial, address, &forbidden))
		dial_candidates_add(&dial->candidates, address);
	else if (!dial->result.reason) /* A good one that failed says more. */
		dial->result = forbidden;
}

/* What has become known since the last time. */
static void take_in(struct dial *dial)
{
	for (int i = 0; i < DIAL_FAMILIES; i++) {
		struct dial_candidate_list *list = &dial->candidates.lists[i];
		const struct addresses *found;

		if (list->known || !names_known(dial->wait, (enum family)i, &found))
			continue;
		list->known = true;
		for (size_t j = 0; j < found->count; j++)
			take_address(dial, &found->items[j]);
		if (list->count && !dial->known_ms)
			dial->known_ms = milliseconds_now();
	}
}

/*
 * In how many milliseconds the next attempt is due; 0: now. Each dial has one attempt; a name with
 * many addresses that do not answer must not take the descriptors of others for more.
 */
static uint64_t due_in(const struct dial *dial, uint64_t now)
{
	uint64_t from = dial->started ? dial->started_ms : dial->known_ms;
	uint64_t wait = NEXT_MS;

	if (dial->running && !share_may(dial->share->attempts, dial->filter->attempt_count,
					dial->filter->connections_max))
		return NEXT_MS;
	if (!dial->running) {
		if (dial->started || dial->candidates.lists[FAMILY_IPV6].known)
			return 0;
		wait = PATIENCE_MS;
	}
	return now - from >= wait ? 0 : wait - (now - from);
}

static void take_failure(struct dial *dial, struct attempt *attempt)
{
	attempt_stop(attempt);
	dial->result.status = DIAL_FAILED;
	dial->result.reason = dial_connect_reason(attempt->errnum);
	dial->result.has_address = true;
	dial->result.address = attempt->address;
}

static void take_connection(struct dial *dial, struct attempt *attempt)
{
	if (!may_lead_to(dial, &attempt->address, &dial->result)) {
		attempt_stop(attempt);
		finish(dial);
		return;
	}
	dial->result = (struct dial_result){
		.status = DIAL_CONNECTED,
		.descriptor = attempt_take(attempt),
		.has_address = true,
		.address = attempt->address,
	};
	socket_settle(dial->result.descriptor);
	finish(dial);
}

static void on_attempt_done(struct attempt *attempt)
{
	struct dial *dial = attempt->context;

	if (!attempt->errnum) {
		take_connection(dial, attempt);
		return;
	}
	dial->running--;
	dial->filter->attempt_count--;
	dial->share->attempts--;
	take_failure(dial, attempt);
	event_active(dial->wake, EV_TIMEOUT, 0);
}

/* Begins the next attempt. False: the dial has ended by that. */
static bool try_next(struct dial *dial)
{
	struct attempt *attempt = &dial->attempts[dial->started];

	attempt->address = *dial_candidates_next(&dial->candidates);
	attempt->done = on_attempt_done;
	attempt->context = dial;
	switch (attempt_start(attempt, dial->filter->base, dial->target.port)) {
	case ATTEMPT_CONNECTED:
		take_connection(dial, attempt);
		return false;
	case ATTEMPT_NO_SOCKET:
		if (socket_is_exhausted(attempt->errnum)) {
			fail(dial, DIAL_NO_DESCRIPTOR, "the filter has no descriptor left");
			return false;
		}
		dial->result.reason = dial_connect_reason(attempt->errnum);
		return true;
	case ATTEMPT_UNDER_WAY:
		dial->running++;
		dial->filter->attempt_count++;
		dial->share->attempts++;
		break;
	case ATTEMPT_FAILED:
		take_failure(dial, attempt);
		break;
	}
	dial->started++;
	dial->started_ms = milliseconds_now();
	return true;
}

static void nothing_left(struct dial *dial)
{
	enum resolve_status status;

	/* An attempt, or a refused address, says more than the look-up. */
	if (dial->result.reason) {
		finish(dial);
		return;
	}
	status = names_status(dial->wait);
	fail(dial, status == RESOLVE_TIMEOUT ? DIAL_TIMED_OUT : DIAL_UNRESOLVED,
	     dial_name_reason(status));
}

static void dial_step(evutil_socket_t descriptor, short what, void *context)
{
	struct dial *dial = context;

	(void)descriptor;
	(void)what;
	if (dial->wait)
		take_in(dial);
	while (dial_candidates_left(&dial->candidates)) {
		uint64_t due = due_in(dial, milliseconds_now());

		if (due) {
			timer_set(dial->wake, due);
			return;
		}
		if (!try_next(dial))
			return;
	}
	if (!dial->running && dial_candidates_known(&dial->candidates))
		nothing_left(dial);
}

static void on_deadline(evutil_socket_t descriptor, short what, void *context)
{
	struct dial *dial = context;

	(void)descriptor;
	(void)what;
	fail(dial, DIAL_TIMED_OUT,
	     dial->started ? "no address answered in time"
			   : "the name could not be resolved in time");
}

struct dial *dial_start(struct filter *filter, struct share *share, const struct target *target,
			dial_done *done, void *context)
{
	struct dial *dial = memory_allocate(1, sizeof(*dial));

	dial->filter = filter;
	dial->share = share;
	dial->target = *target;
	dial->target.path = dial->target.query = NULL;
	dial->done = done;
	dial->context = context;
	dial->candidates.last = FAMILY_IPV4;
	dial->result = (struct dial_result){ .status = DIAL_FAILED, .descriptor = -1 };
	dial->wake = evtimer_new(filter->base, dial_step, dial);
	dial->deadline = evtimer_new(filter->base, on_deadline, dial);
	if (!dial->wake || !dial->deadline)
		memory_exhausted();
	timer_set(dial->deadline, filter->settings.limits.connect_ms);
	if (target->host[0])
		dial->wait = names_wait(filter->names, share, dial->target.host, dial->wake);
	else
		take_address(dial, &target->address);
	if (dial->wait)
		return dial;
	if (target->host[0]) {
		dial->result.status = DIAL_NO_NAME;
		dial->result.reason = "too many names are being looked up";
	}
	for (int i = 0; i < DIAL_FAMILIES; i++)
		dial->candidates.lists[i].known = true;
	event_active(dial->wake, EV_TIMEOUT, 0);
	return dial;
}

void dial_cancel(struct dial *dial)
{
	dial_free(dial);
}
