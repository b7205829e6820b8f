/* undo.c: taking our hosts lines and our table out again. */
#include "cmd/undo.h"

#include "cmd/filter_run.h"
#include "system/hosts_file.h"

static bool undo_hosts(struct session *session, struct undone *undone, struct failure *failure)
{
	const struct options *options = session->options;
	const struct hosts_block nothing = { 0 };
	struct findings ours = { 0 };
	bool repaired, good = true;

	if (options->no_hosts)
		return true;
	if (!hosts_file_repair(options->hosts_file, &repaired, &failure->err) ||
	    !hosts_file_compare(options->hosts_file, &nothing, options->instance, &ours,
				&failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (ours.count || session->state) {
		good = hosts_file_update(options->hosts_file, &nothing, options->instance,
					 session->state, &undone->hosts, &failure->err);
		if (!good)
			failure_set(failure, EXIT_CANNOT, "the rules stand as before");
	}
	findings_free(&ours);
	return good;
}

bool undo(struct session *session, struct undone *ret, struct failure *failure)
{
	struct undone undone = { false, false, false };

	if (!undo_hosts(session, &undone, failure))
		return false;
	if (!filter_end_ours(session, &undone.filter, &failure->err))
		return failure_set(failure, EXIT_CLOSED,
				   "the rules stand as before; our hosts lines are gone");
	if (!firewall_remove(&session->firewall, &undone.table, &failure->err))
		return failure_set(failure, EXIT_CLOSED,
				   "the rules stand as before; our hosts lines and our filter are "
				   "gone");
	for (int file = STATE_PLAN; session->state && file <= STATE_HOSTS; file++)
		if (!state_delete(session->state, (enum state_file)file, &failure->err))
			return failure_set(
				failure, EXIT_CLOSED,
				"rules and hosts lines are gone; the state directory is not clean");
	*ret = undone;
	return true;
}
