/* verify_alone.c: what can be told of a table without a plan to compare it with. */
#include "cmd/verify_alone.h"

#include "cmd/verify_options.h"

#include "base/memory.h"
#include "cmd/filter_run.h"
#include "plan/ruleset_build.h"

#include <stdlib.h>

/* Who has loopback alone by these rules; the caller frees it. */
static struct rangeset find_closed(const struct ruleset *standing)
{
	if (!ruleset_is_intact(standing) || standing->family != TABLE_INET)
		return (struct rangeset){ 0 };
	return ruleset_is_closed(standing) ? ruleset_confined(standing) : ruleset_closing(standing);
}

/* The table tells that there is a filter, and where: somebody has to be there. */
static void find_filter(const struct session *session, const struct ruleset *standing,
			struct findings *findings)
{
	struct filter_plan filter = { .uid = ruleset_filter_uid(standing) };

	ruleset_filter_places(standing, &filter.listen);
	if (filter.uid && filter.listen.count)
		filter_compare_answer(session, &filter, findings);
	free(filter.listen.items);
}

/* What helps where no plan is. */
static const char *advice(const struct session *session)
{
	if (state_is_writable(session->state))
		return "if apply was given --state-dir or --name, say the same, else apply again";
	return "and none can be kept here, which cannot be written: give the policy, or a "
	       "directory that can be by --state-dir, to apply and verify";
}

/*
 * An apply keeps its plan before it commits its rules. Where there is none, an apply may not have
 * come to its end, or kept its plan elsewhere, or could keep none: the table alone tells who is
 * closed in.
 */
static char *no_plan_text(const struct session *session, const char *busy,
			  const struct ruleset *standing)
{
	const char *why =
		session->no_state.text[0] ? session->no_state.text : "there is no such file";
	struct rangeset closed = find_closed(standing);
	struct buffer text = { 0 };

	buffer_printf(&text, "%s, so nothing tells what was applied", why);
	if (closed.count) {
		buffer_append_text(&text, "; the rules leave uid ");
		rangeset_print(&closed, &text);
		buffer_append_text(&text, " loopback alone, as does an apply that did not come to "
					  "its end");
	}
	if (*busy)
		buffer_printf(&text, ": %s is at work there; verify when it has ended", busy);
	else
		buffer_printf(&text, ": %s", advice(session));
	rangeset_free(&closed);
	return buffer_steal(&text);
}

static void find_no_plan(const struct session *session, const char *busy,
			 const struct ruleset *standing, struct findings *findings)
{
	if (session->state)
		findings_add(findings, FINDING_PLAN_MISSING, state_path(session->state, STATE_PLAN),
			     no_plan_text(session, busy, standing));
	else
		findings_add(findings, FINDING_STATE_MISSING, memory_copy_string("state directory"),
			     memory_copy_string("no plan is kept, so that only the table's own "
						"digest was checked"));
}

/* Without a plan the table alone tells whom it confines. */
static bool take_confined(struct session *session, const struct ruleset *standing,
			  struct failure *failure)
{
	rangeset_free(&session->confined);
	session->confined = ruleset_confined(standing);
	return verify_check_users(session->options, &session->confined, "the table that stands",
				  failure);
}

bool verify_alone(struct session *session, bool public, const char *busy, struct findings *findings,
		  struct failure *failure)
{
	struct firewall *firewall = &session->firewall;
	struct ruleset standing = { 0 };
	bool present;

	if (!firewall_read(firewall, &standing, &present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (!public && present && !take_confined(session, &standing, failure)) {
		ruleset_free(&standing);
		return false;
	}
	if (public && present)
		findings_add(findings, FINDING_CHAIN_EXTRA,
			     memory_format("table %s", firewall->table),
			     memory_copy_string("wanted: none, since the policy is public"));
	else if (!public && !present)
		findings_add(findings, FINDING_TABLE_MISSING,
			     memory_format("table %s", firewall->table),
			     memory_copy_string("nothing is applied"));
	else if (!public)
		find_no_plan(session, busy, &standing, findings);
	if (!public && present)
		find_filter(session, &standing, findings);
	if (!public && present && !ruleset_is_intact(&standing))
		findings_add(
			findings, FINDING_TABLE_COMMENT, memory_format("table %s", firewall->table),
			memory_copy_string(
				"its rules do not have the digest that it was committed with"));
	ruleset_free(&standing);
	return true;
}
