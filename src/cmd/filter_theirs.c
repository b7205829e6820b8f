/* filter_theirs.c: a filter that somebody else starts: with which settings, and waited for. */
#include "cmd/filter_theirs.h"

#include "base/memory.h"
#include "cmd/filter_holder.h"
#include "cmd/filter_run.h"
#include "cmd/filter_settings.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 50 };

static void say_who(const struct filter_plan *filter, struct err *err)
{
	const struct address_port *here = filter->listen.items;
	char text[ADDRESS_TEXT_SIZE];

	err_set(err, "at %s port %u listens uid %u%s, a filter that somebody else started",
		address_format(&here->address, text), here->port, filter->uid,
		filter_holder_text(here, filter->uid).text);
}

bool filter_check_theirs(struct session *session, const struct filter_plan *filter, struct err *err)
{
	char digest[FILTER_DIGEST_SIZE];
	struct filter_process process;
	struct buffer kept = { 0 };
	struct err ignored;
	bool alive, present;

	if (filter->start || !session->state)
		return true;
	if (!filter_find(session, &process, &alive, err))
		return false;
	if (alive || !filter_check_listeners(filter, &ignored))
		return true;
	if (!state_read(session->state, STATE_SETTINGS, &kept, &present, err))
		return false;
	filter_settings_digest(&kept, digest);
	buffer_free(&kept);
	if (present && !strcmp(digest, filter->settings))
		return true;
	say_who(filter, err);
	err_append(err, present ? " with other settings than these: end it first"
				: ", and nobody can tell with which settings: none are kept, which "
				  "remove deletes; end it first");
	return false;
}

/* Where it does not answer, that is not what it wants. */
static void say_how_to_start(const struct session *session, const struct filter_plan *filter,
			     struct err *err)
{
	autofree char *settings = NULL;
	struct err ignored;

	if (!session->state || filter_check_listeners(filter, &ignored))
		return;
	settings = state_path(session->state, STATE_SETTINGS);
	err_append(err, "; start \"%s --user %u %s\", and then apply again", filter->program,
		   filter->uid, settings);
}

bool filter_await_theirs(const struct session *session, const struct filter_plan *filter,
			 struct err *err)
{
	static const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	bool unlogged;

	for (unsigned waited = 0;; waited += POLL_MS) {
		if (filter_check_listeners(filter, err) &&
		    (geteuid() || filter_ask(filter->listen.items, 0,
					     session->options->probe_timeout_ms, &unlogged, err)))
			return true;
		if (waited >= session->options->timeout_ms)
			break;
		nanosleep(&pause, NULL);
	}
	say_how_to_start(session, filter, err);
	return false;
}
