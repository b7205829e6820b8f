/* apply_filter.c: the filter of an apply: running before the rules point at it, or not at all. */
#include "cmd/apply.h"

#include "base/memory.h"
#include "cmd/close_first.h"
#include "cmd/filter_conflict.h"
#include "cmd/filter_possible.h"
#include "cmd/filter_run.h"
#include "cmd/filter_theirs.h"
#include "system/filter_log.h"
#include "system/filter_process.h"
#include "system/process.h"
#include "system/user_processes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Without a log, or with one that it may not write, the filter does not start. */
static bool make_log_directory(const struct session *session, struct err *err)
{
	autofree char *directory = session_filter_log_directory(session);
	size_t length = strlen(directory);

	return strncmp(session->filter.log, directory, length) != 0 ||
	       session->filter.log[length] != '/' ||
	       filter_log_directory(directory, session->filter.uid, err);
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

/* One that somebody else starts need not start here: in another container for one. */
static bool check_startable(struct apply *apply, struct err *err)
{
	struct session *session = &apply->session;

	return !session->filter.start || (check_outlives_us(apply, err) &&
					  filter_program_check(session->filter.program, err) &&
					  make_log_directory(session, err) &&
					  filter_check_possible(session, &session->filter, err));
}

bool apply_filter_check(struct apply *apply, struct failure *failure)
{
	struct session *session = &apply->session;
	const struct filter_plan *filter = session->filtered ? &session->filter : NULL;

	if (filter && !session->state) {
		err_set(&failure->err, "the filter's settings need a state directory: %s",
			session->no_state.text);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	return (filter_check_conflicts(session, filter, &failure->err) &&
		(!filter || (filter_check_theirs(session, filter, &failure->err) &&
			     check_startable(apply, &failure->err)))) ||
	       failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

bool apply_filter_close(struct apply *apply, struct failure *failure)
{
	return !apply->session.filtered || close_first(&apply->session, &apply->closed, failure);
}

/* From here on something was changed, even where no rule was. */
static void note_ended(struct apply *apply)
{
	static const char unchanged[] = NOTHING_CHANGED;
	char *left = apply->state_left;
	autofree char *rest = NULL;

	apply->filter_gone = true;
	if (strncmp(left, unchanged, sizeof(unchanged) - 1))
		return;
	rest = memory_copy_string(left + sizeof(unchanged) - 1);
	snprintf(left, sizeof(apply->state_left), "what stood before still stands%s", rest);
}

/* Asked as one of them it does not say why; root can be told. */
static bool ask_as(const struct session *session, const struct filter_plan *filter, uint32_t uid,
		   struct err *err)
{
	bool unlogged;

	for (size_t i = 0; i < filter->listen.count; i++) {
		const struct address_port *listen = &filter->listen.items[i];
		unsigned timeout_ms = session->options->probe_timeout_ms;

		if (filter_ask(listen, uid, timeout_ms, &unlogged, err))
			continue;
		if (unlogged && geteuid() == 0)
			filter_ask(listen, 0, timeout_ms, &unlogged, err);
		return false;
	}
	return true;
}

/* Whoever started it: it may be running, and refuse everything. */
static bool check_log(const struct session *session, const struct filter_plan *filter,
		      struct err *err)
{
	struct err found;
	bool unlogged = false;

	if (geteuid() || filter_ask(filter->listen.items, 0, session->options->probe_timeout_ms,
				    &unlogged, &found))
		return true;
	if (unlogged)
		*err = found;
	return !unlogged;
}

/* The rules take whatever its user sends for the filter's. */
static void look_for_company(struct session *session, const struct filter_plan *filter)
{
	char command[PROCESS_COMMAND_SIZE] = "";
	struct filter_process process;
	struct err ignored;
	bool alive;
	pid_t other;

	/* Which process is one that somebody else has started nobody knows. */
	if (!filter->start || !filter_find(session, &process, &alive, &ignored) || !alive ||
	    !user_processes_other(filter->uid, process.pid, &other))
		return;
	process_command(other, command);
	session->filter_company = memory_format(
		"process %d (%s) runs as the filter's user, uid %u, as well, and may send what the "
		"filter may: end it, or give the filter a user of its own (--filter-user)",
		(int)other, command, filter->uid);
}

bool apply_filter_bring_up(struct apply *apply, struct failure *failure)
{
	const struct filter_plan *filter = apply->plan.filtered ? &apply->plan.filter : NULL;
	struct filter_brought_up up = { .state = NULL };
	enum exit_status status = EXIT_CLOSED;
	bool stays, good;

	if (filter) {
		good = filter_look(&apply->session, filter, &stays, &failure->err);
		/* What one that stays has under way is not cut off. */
		if (good && !stays && !close_filter(&apply->session, &apply->closed, failure))
			return false;
		good = good && filter_bring_up(&apply->session, filter, stays, &up, &failure->err);
	} else {
		good = filter_bring_down(&apply->session, &up.ended, &failure->err);
	}
	if (up.ended)
		note_ended(apply);
	apply->filter_state = up.state;
	apply->filter_ends = up.started;
	/* One that is new could not have started. */
	if (good && filter && !up.started && !check_log(&apply->session, filter, &failure->err)) {
		status = apply_refused_status(apply);
		good = false;
	}
	apply->filter_failed = filter && !good;
	if (good && filter)
		look_for_company(&apply->session, filter);
	good = good && (!filter || filter_check_others(&apply->session, filter, &failure->err));
	return good || failure_set(failure, status, "%s", apply->state_left);
}

enum exit_status apply_refused_status(const struct apply *apply)
{
	return apply->committed || apply->filter_gone || apply->filter_ends ? EXIT_CLOSED
									    : EXIT_CANNOT;
}

bool apply_filter_ask(struct apply *apply, struct failure *failure)
{
	const struct session *session = &apply->session;
	const struct filter_plan *filter = &apply->plan.filter;

	if (!apply->plan.filtered || session->options->no_canary)
		return true;
	for (size_t user = 0; user < session->probed.count; user++) {
		uint32_t uid = session->probed.items[user].first;

		if (ask_as(session, filter, uid, &failure->err))
			continue;
		err_wrap(&failure->err, "asked by uid %u", uid);
		return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
	}
	return true;
}

static const char *running_text(struct session *session, const struct filter_plan *filter)
{
	struct filter_process process;
	struct err ignored;
	bool alive;

	if (!filter_find(session, &process, &alive, &ignored))
		return ", and nobody knows whether a filter of ours is running";
	if (alive)
		return ", and the filter of before is still running";
	return filter_check_listeners(filter, &ignored)
		       ? ", and the filter that somebody else started is still running"
		       : ", and no filter of ours is running";
}

static void add_text(struct failure *failure, const char *text)
{
	size_t length = strlen(failure->state);

	snprintf(failure->state + length, sizeof(failure->state) - length, "%s", text);
}

static void end_new(struct apply *apply, struct failure *failure)
{
	autofree char *still = NULL;
	struct err err;
	bool ended;

	if (filter_end_ours(&apply->session, &ended, &err)) {
		apply->filter_state = "ended";
		add_text(failure, apply->filter_gone ? ", and the new one was ended"
						     : ", and the filter was ended");
		return;
	}
	still = memory_format(", and %s (%.100s)",
			      ended ? "the filter was ended" : "the filter is still running",
			      err.text);
	add_text(failure, still);
}

void apply_filter_abandon(struct apply *apply, struct failure *failure)
{
	if (apply->filter_failed)
		add_text(failure, running_text(&apply->session, &apply->plan.filter));
	else if (apply->filter_gone)
		add_text(failure, ", without its filter");
	if (apply->filter_ends)
		end_new(apply, failure);
}
