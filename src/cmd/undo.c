/* undo.c: taking our hosts lines and our table out again. */
#include "cmd/undo.h"

#include "base/memory.h"
#include "cmd/filter_run.h"
#include "system/hosts_file.h"

static bool undo_hosts(struct session *session, struct undone *undone, struct failure *failure)
{
	const struct options *options = session->options;
	const struct hosts_block nothing = { 0 };
	autofree char *kept = session_kept_hosts_file(session);
	struct findings ours = { 0 };
	bool repaired, good = true;

	if (options->no_hosts)
		return true;
	session_take_hosts_file(session, kept);
	if (!hosts_file_repair(session->hosts_file, &repaired, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (!hosts_file_compare(session->hosts_file, &nothing, options->instance, &ours,
				&failure->err))
		return failure_set(failure, EXIT_CANNOT, "%s%s", NOTHING_CHANGED,
				   repaired ? " but for a torn write of the hosts file, which was "
					      "mended"
					    : "");
	if (ours.count || session->state) {
		good = hosts_file_update(session->hosts_file, &nothing, options->instance,
					 session->state, &undone->hosts, &failure->err);
		if (!good)
			failure_set(failure, EXIT_CANNOT, "the rules stand as before");
	}
	findings_free(&ours);
	return good;
}

static void say(struct failure *failure, const char *rules, const struct undone *undone)
{
	failure_set(failure, EXIT_CLOSED, "%s%s%s", rules,
		    undone->hosts ? "; our hosts lines are gone" : "",
		    undone->filter ? "; our filter was ended" : "");
}

/* More than one table may be ours, and some of them may be gone. */
static void say_what_stands(struct session *session, const struct undone *undone,
			    struct failure *failure)
{
	struct ruleset standing = { 0 };
	struct err ignored;
	bool present;

	if (!firewall_read(&session->firewall, &standing, &present, &ignored))
		say(failure, "nobody knows whether our rules still stand", undone);
	else if (present)
		say(failure, "the rules stand as before", undone);
	else
		say(failure, "rules of ours are gone, and not all of them: do not rely on the rest",
		    undone);
	ruleset_free(&standing);
}

bool undo(struct session *session, struct undone *ret, struct failure *failure)
{
	struct undone undone = { false, false, false };

	if (!undo_hosts(session, &undone, failure))
		return false;
	if (!filter_end_ours(session, &undone.filter, &failure->err)) {
		say(failure, "the rules stand as before", &undone);
		return false;
	}
	if (!firewall_remove(&session->firewall, &undone.table, &failure->err)) {
		say_what_stands(session, &undone, failure);
		return false;
	}
	for (int file = STATE_PLAN; session->state && file <= STATE_HOSTS; file++)
		if (!state_delete(session->state, (enum state_file)file, &failure->err))
			return failure_set(
				failure, EXIT_CLOSED,
				"rules and hosts lines are gone; the state directory is not clean");
	*ret = undone;
	return true;
}
