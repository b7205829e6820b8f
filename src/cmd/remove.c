/* remove.c: egressfw remove: take out our table and our hosts lines. */
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/undo.h"
#include "system/privilege.h"

int cmd_remove(const struct options *options)
{
	struct session session = { .options = options };
	struct undone undone = { false, false };
	struct failure failure = { 0 };
	struct reporting reporting = {
		.options = options,
		.session = &session,
		.undone = &undone,
		.state = "nothing of ours is left: nobody is confined",
	};
	int status;

	if (session_begin(options, &session, &failure) &&
	    session_open_firewall(&session, &failure) &&
	    session_read_standing(&session, &failure) &&
	    session_open_state(&session, true, &failure) && undo(&session, &undone, &failure))
		status = reporting_print(&reporting, EXIT_DONE, NULL);
	else
		status = failure_print(&failure, options);
	session_end(&session);
	return status;
}
