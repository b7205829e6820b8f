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

/*
 * Nothing is kept, and none of it is left behind; but a first apply may begin meanwhile, and would
 * write the hosts file beside us. *ret_lent stays NULL where no directory can be made: then that
 * apply cannot make one either.
 */
static bool lend_state(const struct session *session, struct state **ret_lent,
		       struct failure *failure)
{
	const struct options *options = session->options;
	bool absent;

	if (!state_open(options->state_directory, options->instance, true, ret_lent, &absent,
			&failure->err))
		return absent || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	return state_lock(*ret_lent, options->timeout_ms, &failure->err) ||
	       failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* With the lock. */
static bool open_state(struct session *session, struct state **ret_lent, struct failure *failure)
{
	const struct options *options = session->options;
	struct stat status;

	if (!lstat(options->state_directory, &status) || errno != ENOENT)
		return session_open_state(session, true, failure);
	if (!lend_state(session, ret_lent, failure))
		return false;
	if (*ret_lent && !state_is_lent(*ret_lent)) {
		/* That apply was quicker. */
		session->state = *ret_lent;
		*ret_lent = NULL;
	} else if (options->state_given) {
		/* That nothing is kept at the usual place is nothing to tell of. */
		err_set_errno(&session->no_state, ENOENT, "%s: cannot be opened",
			      options->state_directory);
	}
	return true;
}

int cmd_remove(const struct options *options)
{
	struct session session = { .options = options };
	struct undone undone = { false, false, false };
	struct failure failure = { 0 };
	struct reporting reporting = { .options = options, .session = &session };
	struct state *lent = NULL;
	bool good = session_begin(options, &session, &failure) &&
		    session_open_firewall(&session, &failure) &&
		    session_read_standing(&session, &failure) &&
		    open_state(&session, &lent, &failure);
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
	state_give_back(lent);
	session_end(&session);
	return status;
}
