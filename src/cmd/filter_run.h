/* filter_run.h: the filter of an instance: which process it is, and whether it does what is planned. */
#ifndef EGRESSFW_CMD_FILTER_RUN_H
#define EGRESSFW_CMD_FILTER_RUN_H

#include "cmd/session.h"
#include "plan/finding.h"
#include "system/filter_process.h"

/* The filter that we started, as the state directory has it; *ret_alive false: none is running. */
bool filter_find(struct session *session, struct filter_process *ret, bool *ret_alive,
		 struct err *err);

/*
 * Ends it, and forgets it with its settings. *ret_ended is set whatever comes after: one was
 * running, and is not any more.
 */
bool filter_end_ours(struct session *session, bool *ret_ended, struct err *err);

/*
 * The same for a policy that needs none; fails, and forgets nothing, where another filter goes on.
 */
bool filter_bring_down(struct session *session, bool *ret_ended, struct err *err);

struct filter_brought_up {
	const char *state; /* a word for the report */
	bool started;      /* a process is new, and running */
	bool ended;        /* one was running before, and is not any more */
};

/*
 * Whether the filter that is running is the planned one with the planned settings: ours, and it
 * answers, or one that somebody else has started. False: that is one with other settings, or nobody
 * can tell.
 */
bool filter_look(struct session *session, const struct filter_plan *filter, bool *ret_stays,
		 struct err *err);

/*
 * Brings the planned filter up with the planned settings: keeps ours where it can stay, else ends
 * it and starts it anew; where somebody else starts it, waits for that. *ret is filled in whatever
 * the answer is; after a failure nothing of it is started.
 */
bool filter_bring_up(struct session *session, const struct filter_plan *filter, bool stays,
		     struct filter_brought_up *ret, struct err *err);

/* Whether everywhere that it should listen it is the filter's user who does. */
bool filter_check_listeners(const struct filter_plan *filter, struct err *err);

/*
 * What differs from the plan: not running, not answering, other settings. `policy` (NULL: not
 * given) tells what they have to be.
 */
bool filter_compare(struct session *session, const struct filter_plan *filter,
		    const struct policy *policy, struct findings *findings, struct err *err);

/* Of it only that it is who listens, and answers; .uid and .listen of the plan are enough. */
void filter_compare_answer(const struct session *session, const struct filter_plan *filter,
			   struct findings *findings);

/* Warns where resolv.conf names other servers by now than the filter of the plan asks. */
void filter_compare_nameservers(const struct filter_plan *filter, struct findings *findings);

#endif
