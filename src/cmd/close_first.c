/* close_first.c: what is committed before the plan: nobody is open while it is made, no filter before it stands. */
#include "cmd/close_first.h"

#include "base/memory.h"
#include "plan/ruleset_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILTER_SHUT_TEXT ", and the filter's ports are closed"

/* Adds the uids of a set of uids, as it stands in a table. */
static void add_uids(const struct ruleset *ruleset, const char *name, struct rangeset *uids)
{
	const struct set *set = ruleset_find_set(ruleset, name);

	for (size_t i = 0; set && set->type == SET_UID && i < set->keys.count; i++) {
		uint32_t first, last;

		memcpy(&first, keyset_first(&set->keys, i), sizeof(first));
		memcpy(&last, keyset_last(&set->keys, i), sizeof(last));
		rangeset_add(uids, be32toh(first), be32toh(last));
	}
}

/*
 * What is read of a pair of tables is one of them, and of xtables another form of it: no place for
 * users who are to be closed besides. The kept plan has both as one, if they are just what it says.
 */
static void take_kept(struct session *session, struct ruleset *standing)
{
	struct findings findings = { 0 };
	struct failure ignored;
	struct plan plan;
	bool present;

	if (standing->family == TABLE_INET ||
	    !session_read_plan(session, &plan, &present, &ignored) || !present)
		return;
	if (!strcmp(plan.ruleset.table, session->firewall.table) &&
	    firewall_verify(&session->firewall, &plan.ruleset, &findings, &ignored.err) &&
	    !findings_count_differences(&findings)) {
		ruleset_free(standing);
		*standing = plan.ruleset;
		plan.ruleset = (struct ruleset){ 0 };
	}
	findings_free(&findings);
	plan_free(&plan);
}

/* A filter that is to come, where nobody has one yet, is shut away until its rules come. */
static bool must_shut(const struct session *session, const struct ruleset *standing)
{
	return session->filtered && !ruleset_filter_uid(standing);
}

/*
 * Who must be closed now. A table that is whole confines its users already; one that was altered,
 * or that an earlier run left half-way, or that nobody can be added to, is replaced for everybody
 * whom it names.
 */
static struct rangeset find_open(struct session *session, struct ruleset *standing, bool present)
{
	struct rangeset closing = rangeset_copy(&session->confined), confined;
	bool whole =
		present && ruleset_is_intact(standing) && !ruleset_find_set(standing, "closing");

	if (whole) {
		confined = ruleset_confined(standing);
		rangeset_remove_all(&closing, &confined);
		rangeset_free(&confined);
		if (closing.count || session->filtered)
			take_kept(session, standing);
	}
	if (present && (!whole || ((closing.count || must_shut(session, standing)) &&
				   standing->family != TABLE_INET))) {
		add_uids(standing, "confined", &closing);
		add_uids(standing, "closing", &closing);
		ruleset_free(standing);
	}
	return closing;
}

bool close_build(const struct session *session, const struct rangeset *uids, bool log,
		 struct ruleset *ret, struct err *err)
{
	struct ruleset_request request = {
		.policy = &session->policy,
		.resolved = NULL,
		.confined = uids,
		.table = session->firewall.table,
		.log = log,
	};

	return ruleset_build(&request, ret, err);
}

/* What is to stand first; *standing is what does. */
struct first {
	const struct ruleset *standing;
	const struct rangeset *closing; /* users who are closed in besides */
	bool shut;                      /* and the filter that is to come */
};

static bool build_first(const struct session *session, const struct first *first, bool log,
			struct ruleset *ret, struct err *err)
{
	struct ruleset deny_all, closed;

	if (first->closing->count || !first->standing->chain_count) {
		if (!close_build(session, first->closing, log, &deny_all, err))
			return false;
		ruleset_close(first->standing, &deny_all, first->closing, &closed);
		ruleset_free(&deny_all);
	} else {
		closed = ruleset_copy(first->standing);
	}
	if (!first->shut) {
		*ret = closed;
		return true;
	}
	ruleset_shut_filter(&closed, &session->filter, ret);
	ruleset_free(&closed);
	return true;
}

static bool refused(const struct closed *closed, struct failure *failure)
{
	return failure_set(failure, *closed->committed ? EXIT_CLOSED : EXIT_CANNOT, "%s",
			   closed->state_left);
}

/* In place of what stands so far. */
static bool commit_first(struct session *session, const struct first *first, struct closed *closed,
			 struct failure *failure)
{
	for (;;) {
		struct ruleset next;
		struct findings findings = { 0 };
		enum firewall_result result;
		bool good;

		if (!build_first(session, first, *closed->log, &next, &failure->err))
			return refused(closed, failure);
		result = firewall_commit(&session->firewall, &next, &failure->err);
		if (result == FIREWALL_NO_LOG && *closed->log) {
			*closed->log = false;
			ruleset_free(&next);
			continue;
		}
		if (result == FIREWALL_NO_LOG || result == FIREWALL_REFUSED) {
			ruleset_free(&next);
			return refused(closed, failure);
		}
		good = firewall_verify(&session->firewall, &next, &findings, &failure->err);
		if (good && findings_count_differences(&findings)) {
			err_set(&failure->err,
				"the kernel does not hold the closed rules that were committed");
			good = false;
		}
		findings_free(&findings);
		ruleset_free(&closed->stands);
		closed->stands = next;
		*closed->committed |= good;
		closed->shut |= good && first->shut;
		return good ||
		       failure_set(failure, EXIT_CLOSED,
				   "the confined users have what stood before, or loopback alone");
	}
}

char *close_text(const struct rangeset *uids)
{
	bool one = uids->count == 1 && uids->items[0].first == uids->items[0].last;
	struct buffer list = { 0 };
	char *text;

	rangeset_print(uids, &list);
	text = memory_format(one ? "uid %.120s is closed" : "uids %.120s are closed",
			     buffer_string(&list));
	buffer_free(&list);
	return text;
}

/* An apply before this one may have left everybody closed: then that is what stood. */
static void say_what_stood(const struct ruleset *standing, bool shut, char *state_left)
{
	struct rangeset confined = ruleset_confined(standing);
	autofree char *text = close_text(&confined);

	if (ruleset_is_closed(standing))
		snprintf(state_left, STATE_LEFT_SIZE, "%s (loopback only), as before", text);
	else
		snprintf(state_left, STATE_LEFT_SIZE, "what stood before still stands%s",
			 shut ? FILTER_SHUT_TEXT : "");
	rangeset_free(&confined);
}

bool close_first(struct session *session, struct closed *closed, struct failure *failure)
{
	struct ruleset standing = { 0 };
	struct rangeset closing;
	struct first first = { .standing = &standing, .closing = &closing };
	bool present, good = true;

	if (!firewall_read(&session->firewall, &standing, &present, &failure->err))
		return refused(closed, failure);
	closing = find_open(session, &standing, present);
	first.shut = must_shut(session, &standing);
	if (closing.count || first.shut)
		good = commit_first(session, &first, closed, failure);
	else
		closed->stands = ruleset_copy(&standing);
	if (closing.count) {
		autofree char *text = close_text(&closing);

		snprintf(closed->state_left, STATE_LEFT_SIZE, "%s (loopback only)%s", text,
			 standing.chain_count ? ", for others what stood before still stands" : "");
	} else {
		say_what_stood(&standing, standing.chain_count && first.shut, closed->state_left);
	}
	rangeset_free(&closing);
	ruleset_free(&standing);
	return good;
}

bool close_filter(struct session *session, struct closed *closed, struct failure *failure)
{
	struct ruleset standing = closed->stands;
	struct rangeset closing = { 0 };
	const struct first first = { &standing, &closing, true };
	size_t length = strlen(closed->state_left);
	bool good;

	if (closed->shut)
		return true;
	/*
	 * One of a pair of tables that nobody knows the whole of: its users wait for the new rules.
	 */
	if (standing.family != TABLE_INET) {
		closing = ruleset_confined(&standing);
		rangeset_add_all(&closing, &session->confined);
		ruleset_free(&standing);
	}
	closed->stands = (struct ruleset){ 0 };
	good = commit_first(session, &first, closed, failure);
	if (good)
		snprintf(closed->state_left + length, STATE_LEFT_SIZE - length, FILTER_SHUT_TEXT);
	rangeset_free(&closing);
	ruleset_free(&standing);
	return good;
}

bool close_everything(struct session *session, bool log, struct err *err)
{
	struct rangeset uids = rangeset_copy(&session->confined);
	struct findings findings = { 0 };
	struct ruleset deny_all;
	bool good;

	rangeset_add_all(&uids, &session->standing);
	good = close_build(session, &uids, log, &deny_all, err);
	rangeset_free(&uids);
	if (!good)
		return false;
	good = firewall_commit(&session->firewall, &deny_all, err) == FIREWALL_COMMITTED &&
	       firewall_verify(&session->firewall, &deny_all, &findings, err);
	if (good && findings_count_differences(&findings)) {
		err_set(err, "the kernel does not hold what was committed");
		good = false;
	}
	findings_free(&findings);
	ruleset_free(&deny_all);
	return good;
}
