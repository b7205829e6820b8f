/* apply_filter.c: the filter of an apply: running before the rules point at it, or not at all. */
#include "cmd/apply.h"

#include "cmd/close_first.h"
#include "cmd/filter_run.h"
#include "system/filter_log.h"
#include "system/filter_process.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Without a log, or with one that it may not write, the filter does not start. */
static bool make_log_directory(const struct filter_plan *filter, struct err *err)
{
	static const char directory[] = FILTER_LOG_DIRECTORY "/";

	return strncmp(filter->log, directory, sizeof(directory) - 1) != 0 ||
	       filter_log_directory(FILTER_LOG_DIRECTORY, filter->uid, err);
}

/* With the first process of a pid namespace all others of it end. */
static bool check_outlives_us(const struct apply *apply, struct err *err)
{
	if (apply->session.options->runs_program || getpid() != 1)
		return true;
	err_set(err, "this is the first process of its container, and the filter would end with "
		     "it: apply from one that stays, or use run");
	return false;
}

bool apply_filter_check(struct apply *apply, struct failure *failure)
{
	const struct session *session = &apply->session;

	if (!session->filtered)
		return true;
	if (!session->state) {
		err_set(&failure->err, "the filter's settings need a state directory: %s",
			session->no_state.text);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (!session->filter.start)
		return true;
	return (check_outlives_us(apply, &failure->err) &&
		filter_program_check(session->filter.program, &failure->err) &&
		make_log_directory(&session->filter, &failure->err)) ||
	       failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

bool apply_filter_close(struct apply *apply, struct failure *failure)
{
	return !apply->session.filtered ||
	       close_first(&apply->session, &apply->log, apply->state_left, &apply->committed,
			   failure);
}

bool apply_filter_bring_up(struct apply *apply, struct failure *failure)
{
	const struct filter_plan *filter = apply->plan.filtered ? &apply->plan.filter : NULL;

	if (!filter)
		return filter_bring_down(&apply->session, &failure->err) ||
		       failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
	if (!filter_bring_up(&apply->session, filter, &apply->filter_state, &apply->filter_ends,
			     &failure->err))
		return failure_set(failure, EXIT_CLOSED, "%s, and no filter of ours is running",
				   apply->state_left);
	return filter_check_others(&apply->session, filter, &failure->err) ||
	       failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
}

bool apply_filter_ask(struct apply *apply, struct failure *failure)
{
	const struct session *session = &apply->session;
	const struct filter_plan *filter = &apply->plan.filter;

	if (!apply->plan.filtered || session->options->no_canary)
		return true;
	for (size_t user = 0; user < session->probed.count; user++)
		for (size_t i = 0; i < filter->listen.count; i++) {
			uint32_t uid = session->probed.items[user].first;

			if (filter_ask(&filter->listen.items[i], uid,
				       session->options->probe_timeout_ms, &failure->err))
				continue;
			err_wrap(&failure->err, "asked by uid %u", uid);
			return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
		}
	return true;
}

void apply_filter_abandon(struct apply *apply, struct failure *failure)
{
	struct err err;
	bool ended;
	size_t length = strlen(failure->state);

	if (!apply->filter_ends)
		return;
	if (filter_end_ours(&apply->session, &ended, &err))
		snprintf(failure->state + length, sizeof(failure->state) - length,
			 ", and the filter was ended");
	else
		snprintf(failure->state + length, sizeof(failure->state) - length,
			 ", and the filter is still running (%.100s)", err.text);
}
