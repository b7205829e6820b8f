/* remove.c: egressfw remove: take out our table and our hosts lines. */
#include "base/memory.h"
#include "cmd/filter_conflict.h"
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/undo.h"

#include <errno.h>
#include <sys/stat.h>

/* What was looked at, and no more; the caller frees it. */
static char *state_text(const struct session *session, bool of_others)
{
	const struct options *options = session->options;
	bool whole = options->backend == BACKEND_AUTO;
	struct buffer text = { 0 };
	struct err others;

	buffer_printf(&text, "no rules of ours are left%s",
		      whole ? "" : " in the tables of this back end");
	if (options->no_hosts)
		buffer_append_text(&text, "; the hosts file was not looked at");
	else
		buffer_printf(&text, ", nor lines in %s", session->hosts_file);
	if (whole)
		buffer_append_text(&text, "; nobody is confined by this instance any more");
	/* A filter that we did not start, or whose process was forgotten, is not ours to end. */
	if (!filter_check_left(session, of_others, &others))
		buffer_printf(&text, ", but %s", others.text);
	return buffer_steal(&text);
}

/* With the lock, where there is a directory to lock; none is made for taking something out. */
static bool open_state(struct session *session, struct failure *failure)
{
	struct stat status;
	bool absent = lstat(session->options->state_directory, &status) && errno == ENOENT;

	if (!session_open_state(session, !absent, failure))
		return false;
	/* That nothing is kept at the usual place is nothing to tell of. */
	if (absent && !session->options->state_given)
		session->no_state = (struct err){ 0 };
	return true;
}

int cmd_remove(const struct options *options)
{
	struct session session = { .options = options };
	struct undone undone = { false, false, false };
	struct failure failure = { 0 };
	struct reporting reporting = { .options = options, .session = &session };
	bool good = session_begin(options, &session, &failure) &&
		    session_open_firewall(&session, &failure) &&
		    session_read_standing(&session, &failure) && open_state(&session, &failure);
	bool of_others = good && filter_is_of_others(&session);
	autofree char *state = NULL;
	int status;

	good = good && undo(&session, &undone, &failure);
	if (good) {
		state = state_text(&session, of_others);
		reporting.state = state;
		reporting.undone = &undone;
		reporting.released = undone.table ? &session.standing : NULL;
	}
	status = reporting_print(&reporting, good ? EXIT_DONE : (int)failure.status,
				 good ? NULL : &failure);
	session_end(&session);
	return status;
}
