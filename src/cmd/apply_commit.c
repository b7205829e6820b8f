/* apply_commit.c: the plan, kept in the state directory and put into the kernel in one commit. */
#include "cmd/apply.h"

#include "base/memory.h"
#include "cmd/close_first.h"
#include "plan/ruleset_build.h"

#include <stdio.h>

bool apply_build_plan(struct apply *apply, struct failure *failure)
{
	struct plan_request request = session_plan_request(&apply->session, apply->log);

	if (plan_build(&request, &apply->plan, &failure->err)) {
		apply->planned = true;
		return true;
	}
	err_wrap(&failure->err, "%s", apply->session.policy_name);
	return failure_set(failure, apply->session.resolved.count ? EXIT_UNRESOLVED : EXIT_USAGE,
			   "%s", apply->state_left);
}

/*
 * The plan that stood is kept until the commit has succeeded, so that a refusal changes nothing
 * here either.
 */
static bool keep_plan(struct apply *apply, struct buffer *before, bool *ret_had_before,
		      struct failure *failure)
{
	struct buffer bytes = { 0 };
	bool good;

	if (!apply->session.state)
		return true;
	plan_encode(&apply->plan, &bytes);
	good = state_read(apply->session.state, STATE_PLAN, before, ret_had_before,
			  &failure->err) &&
	       state_write(apply->session.state, STATE_PLAN, bytes.data, bytes.length,
			   &failure->err);
	buffer_free(&bytes);
	return good || failure_set(failure, apply_refused_status(apply), "%s", apply->state_left);
}

static void put_plan_back(struct apply *apply, const struct buffer *before, bool had_before)
{
	struct err ignored_after_a_failure;

	if (!apply->session.state)
		return;
	if (had_before)
		state_write(apply->session.state, STATE_PLAN, before->data, before->length,
			    &ignored_after_a_failure);
	else
		state_delete(apply->session.state, STATE_PLAN, &ignored_after_a_failure);
}

const struct ruleset *apply_committed(const struct apply *apply)
{
	return apply->leaving.count ? &apply->bridge : &apply->plan.ruleset;
}

/*
 * A user whom the new policy does not name is let go last: until then a failure must not open it.
 */
static bool build_bridge(struct apply *apply, struct failure *failure)
{
	struct ruleset deny_all;

	ruleset_free(&apply->bridge);
	rangeset_free(&apply->leaving);
	apply->leaving = rangeset_copy(&apply->session.standing);
	rangeset_remove_all(&apply->leaving, &apply->session.confined);
	if (!apply->leaving.count)
		return true;
	if (!close_build(&apply->session, &apply->leaving, apply->log, &deny_all, &failure->err))
		return failure_set(failure, apply_refused_status(apply), "%s", apply->state_left);
	ruleset_close(&apply->plan.ruleset, &deny_all, &apply->leaving, &apply->bridge);
	ruleset_free(&deny_all);
	return true;
}

static void say_what_stands(struct apply *apply)
{
	autofree char *text = close_text(&apply->leaving);

	if (apply->leaving.count)
		snprintf(apply->state_left, sizeof(apply->state_left),
			 "the new rules stand, and %s besides", text);
	else
		snprintf(apply->state_left, sizeof(apply->state_left), "the new rules stand");
}

static bool commit_kept(struct apply *apply, struct failure *failure)
{
	for (;;) {
		if (!build_bridge(apply, failure))
			return false;
		switch (firewall_commit(&apply->session.firewall, apply_committed(apply),
					&failure->err)) {
		case FIREWALL_COMMITTED:
			apply->committed = true;
			apply->filter_gone = false;
			say_what_stands(apply);
			return true;
		case FIREWALL_UNSURE:
			/*
			 * Only the read-back can tell; it fails where the new rules do not stand.
			 */
			apply->committed = true;
			apply->filter_gone = false;
			snprintf(apply->state_left, sizeof(apply->state_left),
				 "the confined users have what stood before, or less");
			return true;
		case FIREWALL_NO_LOG:
			if (!apply->log)
				return failure_set(failure, apply_refused_status(apply), "%s",
						   apply->state_left);
			apply->log = false;
			plan_free(&apply->plan);
			apply->planned = false;
			if (!apply_build_plan(apply, failure))
				return false;
			continue;
		case FIREWALL_REFUSED:
			return failure_set(failure, apply_refused_status(apply), "%s",
					   apply->state_left);
		}
	}
}

bool apply_commit(struct apply *apply, struct failure *failure)
{
	struct buffer before = { 0 };
	bool had_before = false, log = apply->log, good;

	good = keep_plan(apply, &before, &had_before, failure);
	if (good) {
		good = commit_kept(apply, failure);
		if (!good)
			put_plan_back(apply, &before, had_before);
		else if (log != apply->log)
			good = keep_plan(apply, &(struct buffer){ 0 }, &(bool){ false }, failure);
	}
	buffer_free(&before);
	return good;
}

bool apply_release(struct apply *apply, struct failure *failure)
{
	struct findings findings = { 0 };
	bool good;

	if (!apply->leaving.count)
		return true;
	good = firewall_commit(&apply->session.firewall, &apply->plan.ruleset, &failure->err) ==
		       FIREWALL_COMMITTED &&
	       firewall_verify(&apply->session.firewall, &apply->plan.ruleset, &findings,
			       &failure->err);
	if (good && findings_count_differences(&findings)) {
		err_set(&failure->err, "the kernel does not hold what was committed last");
		good = false;
	}
	findings_free(&findings);
	apply->released = good;
	return good || failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
}
