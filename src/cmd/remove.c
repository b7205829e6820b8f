/* remove.c: egressfw remove: take out our table and our hosts lines. */
#include "cmd/filter_conflict.h"
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/undo.h"
#include "system/privilege.h"

#include <stdio.h>

/* A filter that we did not start, or whose process was forgotten, is not ours to end. */
static void tell_of_others(struct session *session, struct reporting *reporting, char *text,
			   size_t size)
{
	struct err why;

	if (filter_check_others(session, NULL, &why))
		return;
	snprintf(text, size, "nobody is confined any more, but %s", why.text);
	reporting->state = text;
}

int cmd_remove(const struct options *options)
{
	struct session session = { .options = options };
	struct undone undone = { false, false, false };
	struct failure failure = { 0 };
	struct reporting reporting = {
		.options = options,
		.session = &session,
		.undone = &undone,
		.state = options->backend == BACKEND_AUTO
				 ? "nothing of ours is left: nobody is confined"
				 : "nothing of ours is left in the tables of this back end",
	};
	bool good = session_begin(options, &session, &failure) &&
		    session_open_firewall(&session, &failure) &&
		    session_read_standing(&session, &failure) &&
		    session_open_state(&session, true, &failure) &&
		    undo(&session, &undone, &failure);
	char text[sizeof(failure.err.text) + 64];
	int status;

	if (good)
		tell_of_others(&session, &reporting, text, sizeof(text));
	else
		reporting.undone = NULL;
	if (good && undone.table)
		reporting.released = &session.standing;
	status = reporting_print(&reporting, good ? EXIT_DONE : (int)failure.status,
				 good ? NULL : &failure);
	session_end(&session);
	return status;
}
