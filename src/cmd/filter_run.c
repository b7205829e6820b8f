/* filter_run.c: the filter of an instance: which process it is, started, ended. */
#include "cmd/filter_run.h"

#include "base/memory.h"
#include "cmd/filter_conflict.h"
#include "cmd/filter_holder.h"
#include "cmd/filter_plans.h"
#include "cmd/filter_settings.h"
#include "cmd/filter_theirs.h"
#include "system/descriptor.h"
#include "system/loopback.h"
#include "system/users.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REMARK_MAX = 200 };

bool filter_find(struct session *session, struct filter_process *ret, bool *ret_alive,
		 struct err *err)
{
	struct buffer text = { 0 };
	bool present = false, good;

	*ret_alive = false;
	if (!session->state)
		return true;
	if (!state_read(session->state, STATE_FILTER, &text, &present, err))
		return false;
	/* What is not of the form names no process. */
	good = !present || !filter_process_parse(text.data, text.length, ret) ||
	       filter_process_look(ret, ret_alive, err);
	buffer_free(&text);
	return good;
}

static bool end_process(struct session *session, bool *ret_ended, struct err *err)
{
	struct filter_process process;
	bool alive;

	*ret_ended = false;
	if (!filter_find(session, &process, &alive, err) ||
	    (alive && !filter_process_end(&process, err)))
		return false;
	*ret_ended = alive;
	return true;
}

static bool forget(const struct session *session, struct err *err)
{
	for (int file = STATE_FILTER; session->state && file < STATE_FILES; file++) {
		struct state_version found;

		/* Deleting waits for the disk, and most of the time nothing is there. */
		state_version_of(session->state, (enum state_file)file, &found);
		if (found.inode && !state_delete(session->state, (enum state_file)file, err))
			return false;
	}
	return true;
}

bool filter_end_ours(struct session *session, bool *ret_ended, struct err *err)
{
	return end_process(session, ret_ended, err) && forget(session, err);
}

bool filter_bring_down(struct session *session, bool *ret_ended, struct err *err)
{
	return end_process(session, ret_ended, err) && filter_check_others(session, NULL, err) &&
	       forget(session, err);
}

static bool remember(struct session *session, const struct filter_process *process, struct err *err)
{
	struct buffer text = { 0 };
	bool good;

	filter_process_print(process, &text);
	good = state_write(session->state, STATE_FILTER, text.data, text.length, err);
	buffer_free(&text);
	return good;
}

static bool start(struct session *session, const struct filter_plan *filter, struct err *err)
{
	autofree char *settings = state_path(session->state, STATE_SETTINGS);
	autoclose int errors = -1;
	struct filter_start how = {
		.program = filter->program,
		.settings = settings,
		.uid = filter->uid,
		.gid = users_gid(filter->uid, NULL),
		.timeout_ms = session->options->timeout_ms,
	};
	struct filter_link link;
	struct filter_process process;
	struct err ignored;
	bool good, taken = false;

	if (!filter_program_check(filter->program, err) ||
	    !state_open_new(session->state, STATE_FILTER_ERRORS, &errors, err))
		return false;
	how.errors = errors;
	if (!filter_process_make(&how, &process, &link, err))
		return false;
	memcpy(process.settings, filter->settings, sizeof(process.settings));
	/* Whatever becomes of this process, another one finds that one then. */
	good = remember(session, &process, err) && filter_process_begin(&how, &link, &taken, err);
	filter_link_close(&link);
	if (!good) {
		filter_process_end(&process, &ignored);
	}
	if (taken) {
		err_append(err, "; " FILTER_LISTEN_ADVICE);
		filter_name_holder(filter, err);
	}
	return good;
}

static bool write_settings(struct session *session, const struct filter_plan *filter,
			   struct err *err)
{
	struct buffer settings = { 0 };
	bool good;

	filter_settings_print(&session->policy, filter, &settings);
	good = state_write_for(session->state, STATE_SETTINGS, settings.data, settings.length,
			       filter->uid, err);
	buffer_free(&settings);
	return good;
}

/*
 * What it had to say when it was started: one line, which anything may stand in. What begins with
 * its log it says later, of what may be over.
 */
static void take_remark(struct session *session, const struct filter_plan *filter)
{
	static const char own_name[] = "egressfilter: ";
	size_t log_length = strlen(filter->log);
	struct buffer said = { 0 };
	struct err ignored;
	const char *line;
	size_t length;
	bool present;

	if (!state_read(session->state, STATE_FILTER_ERRORS, &said, &present, &ignored))
		return;
	line = buffer_string(&said);
	if (!strncmp(line, own_name, sizeof(own_name) - 1))
		line += sizeof(own_name) - 1;
	length = strcspn(line, "\n");
	if (length && strncmp(line, filter->log, log_length) != 0) {
		free(session->filter_remark);
		session->filter_remark =
			memory_format("the filter says: %.*s",
				      length < REMARK_MAX ? (int)length : REMARK_MAX, line);
		for (char *at = session->filter_remark; *at; at++)
			if (*at < ' ' || *at > '~')
				*at = '?';
	}
	buffer_free(&said);
}

/* The settings say nothing of the program. */
static bool has_program(const struct session *session, const char *program)
{
	struct filter_plan kept = { 0 };
	bool same = filter_plan_read_kept(session, &kept) && !strcmp(kept.program, program);

	filter_plan_free(&kept);
	return same;
}

/* One that cannot write its log is no other one, and a new one could not either. */
static bool differs(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].kind != FINDING_FILTER_LOG &&
		    !finding_is_warning(findings->items[i].kind))
			return true;
	return false;
}

/* The same program with the same settings in the same hands, and it answers. */
static bool is_planned(struct session *session, const struct filter_process *process,
		       const struct filter_plan *filter)
{
	struct findings findings = { 0 };
	struct err ignored;
	bool same = process->uid == filter->uid && !strcmp(process->settings, filter->settings) &&
		    has_program(session, filter->program) &&
		    filter_compare(session, filter, &session->policy, &findings, &ignored) &&
		    !differs(&findings);

	findings_free(&findings);
	return same;
}

bool filter_look(struct session *session, const struct filter_plan *filter, bool *ret_stays,
		 struct err *err)
{
	struct filter_process process;
	struct err ignored;
	bool alive;

	if (!filter_check_theirs(session, filter, err) ||
	    !filter_find(session, &process, &alive, err))
		return false;
	*ret_stays = filter->start ? alive && is_planned(session, &process, filter)
				   : !alive && filter_check_listeners(filter, &ignored);
	return true;
}

bool filter_bring_up(struct session *session, const struct filter_plan *filter, bool stays,
		     struct filter_brought_up *ret, struct err *err)
{
	struct err ignored;
	bool ended;

	*ret = (struct filter_brought_up){ .state = NULL };
	if (filter->start && stays) {
		ret->state = "running as before";
		take_remark(session, filter);
		return true;
	}
	if (!filter_end_ours(session, &ret->ended, err))
		return false;
	if (session->state && !write_settings(session, filter, err))
		return false;
	if (!filter->start) {
		ret->state = "running, started by somebody else";
		return filter_await_theirs(session, filter, err);
	}
	if (!start(session, filter, err))
		return false;
	ret->state = ret->ended ? "started anew" : "started";
	ret->started = filter_check_listeners(filter, err);
	if (ret->started)
		take_remark(session, filter);
	else
		filter_end_ours(session, &ended, &ignored);
	return ret->started;
}

bool filter_check_listeners(const struct filter_plan *filter, struct err *err)
{
	for (size_t i = 0; i < filter->listen.count; i++) {
		const struct address_port *listen = &filter->listen.items[i];
		char text[ADDRESS_TEXT_SIZE];
		uint32_t uid = 0;
		bool found;

		if (!loopback_listener(listen, &uid, &found, err))
			return false;
		if (found && uid == filter->uid)
			continue;
		address_format(&listen->address, text);
		if (found)
			err_set(err, "at %s port %u listens uid %u, and not the filter's, %u", text,
				listen->port, uid, filter->uid);
		else
			err_set(err, "at %s port %u nobody listens", text, listen->port);
		return false;
	}
	return true;
}
