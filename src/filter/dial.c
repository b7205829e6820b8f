/* dial.c: from a judged target to a connected socket: resolved once, every address judged, then dialled. */
#include "filter/dial.h"

#include "base/memory.h"
#include "filter/dial_candidates.h"
#include "filter/dial_reason.h"
#include "filter/judge.h"
#include "filter/names.h"
#include "filter/sockets.h"
#include "system/resolver_question.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

struct attempt {
	struct dial *dial;
	int descriptor; /* -1: none */
	struct event *event;
	struct address address;
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
	unsigned started, running;
	uint64_t known_ms, started_ms; /* when the first addresses came; of the last attempt */
	struct event *wake, *deadline;
	struct dial_result result; /* of the last failure */
};

/* An attempt has an event exactly while it is under way. */
static void free_attempt(struct attempt *attempt)
{
	if (attempt->event) {
		event_free(attempt->event);
		attempt->dial->filter->attempt_count--;
		attempt->dial->share->attempts--;
	}
	if (attempt->descriptor >= 0)
		close(attempt->descriptor);
}

static void dial_free(struct dial *dial)
{
	for (unsigned i = 0; i < dial->started; i++)
		free_attempt(&dial->attempts[i]);
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

static void take_address(struct dial *dial, const struct address *address)
{
	struct decision decision;

	if (dial->wait &&
	    !judge_address(&dial->filter->settings.policy, &dial->target, address, &decision)) {
		/* A good one that failed says more. */
		if (dial->result.reason)
			return;
		dial->result.status = DIAL_FORBIDDEN;
		dial->result.decision = decision;
		dial->result.reason = decision.reason;
		dial->result.has_address = true;
		dial->result.address = *address;
		return;
	}
	dial_candidates_add(&dial->candidates, address);
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

static void attempt_failed(struct attempt *attempt, int errnum)
{
	struct dial *dial = attempt->dial;

	free_attempt(attempt);
	attempt->event = NULL;
	attempt->descriptor = -1;
	dial->result.status = DIAL_FAILED;
	dial->result.reason = dial_connect_reason(errnum);
	dial->result.has_address = true;
	dial->result.address = attempt->address;
}

static void connected(struct attempt *attempt)
{
	struct dial *dial = attempt->dial;

	dial->result = (struct dial_result){
		.status = DIAL_CONNECTED,
		.descriptor = attempt->descriptor,
		.has_address = true,
		.address = attempt->address,
	};
	attempt->descriptor = -1;
	socket_settle(dial->result.descriptor);
}

static void on_connected(evutil_socket_t descriptor, short what, void *context)
{
	struct attempt *attempt = context;
	struct dial *dial = attempt->dial;
	int errnum = 0;
	socklen_t length = sizeof(errnum);

	(void)what;
	if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum, &length))
		errnum = errno;
	if (errnum) {
		dial->running--;
		attempt_failed(attempt, errnum);
		event_active(dial->wake, EV_TIMEOUT, 0);
		return;
	}
	connected(attempt);
	finish(dial);
}

/*
 * Whether it is under way now, or connected, as dial->result has it. False where there is no
 * descriptor with that errno, else failed.
 */
static bool attempt_start(struct dial *dial, const struct address *address)
{
	struct attempt *attempt = &dial->attempts[dial->started];
	const struct address_port to = { .address = *address, .port = dial->target.port };

	*attempt = (struct attempt){ .dial = dial, .address = *address };
	attempt->descriptor = socket_open(address->family);
	if (attempt->descriptor < 0)
		return false;
	dial->started++;
	dial->started_ms = milliseconds_now();
	if (socket_connect(attempt->descriptor, &to)) {
		connected(attempt);
		return true;
	}
	if (errno != EALREADY) {
		attempt_failed(attempt, errno);
		errno = 0;
		return false;
	}
	attempt->event =
		event_new(dial->filter->base, attempt->descriptor, EV_WRITE, on_connected, attempt);
	if (!attempt->event || event_add(attempt->event, NULL))
		memory_exhausted();
	dial->running++;
	dial->filter->attempt_count++;
	dial->share->attempts++;
	return true;
}

static void wait_ms(struct dial *dial, uint64_t ms)
{
	const struct timeval interval = { .tv_sec = (time_t)(ms / 1000),
					  .tv_usec = (suseconds_t)(ms % 1000 * 1000) };

	event_add(dial->wake, &interval);
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
			wait_ms(dial, due);
			return;
		}
		errno = 0;
		if (!attempt_start(dial, dial_candidates_next(&dial->candidates)) && errno) {
			if (!socket_is_exhausted(errno)) {
				dial->result.reason = dial_connect_reason(errno);
				continue;
			}
			fail(dial, DIAL_NO_DESCRIPTOR, "the filter has no descriptor left");
			return;
		}
		if (dial->result.status == DIAL_CONNECTED) {
			finish(dial);
			return;
		}
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
	const struct timeval limit = {
		.tv_sec = filter->settings.limits.connect_ms / 1000,
		.tv_usec = filter->settings.limits.connect_ms % 1000 * 1000,
	};
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
	if (!dial->wake || !dial->deadline || event_add(dial->deadline, &limit))
		memory_exhausted();
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
