/* remove.c: egressfw remove: take out our table and our hosts lines. */
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/undo.h"
#include "plan/ruleset_build.h"
#include "system/privilege.h"

#include <unistd.h>

/* A confined user that somehow has the capability may not take its own walls down. */
static bool check_self(struct session *session, struct failure *failure)
{
	struct ruleset standing = { 0 };
	struct rangeset confined;
	bool present, is_confined;

	if (!firewall_read(&session->firewall, &standing, &present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	confined = ruleset_confined(&standing);
	is_confined = rangeset_contains(&confined, getuid());
	rangeset_free(&confined);
	ruleset_free(&standing);
	if (!is_confined)
		return true;
	err_set(&failure->err, "uid %u, which started this, is a confined user",
		(unsigned)getuid());
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

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
	    session_open_firewall(&session, &failure) && check_self(&session, &failure) &&
	    session_open_state(&session, true, &failure) && undo(&session, &undone, &failure))
		status = reporting_print(&reporting, EXIT_DONE, NULL);
	else
		status = failure_print(&failure, options);
	session_end(&session);
	return status;
}
