/* apply_route.c: the whole route from a policy to proven rules. */
#include "cmd/apply.h"

#include "cmd/close_first.h"
#include "cmd/witness.h"
#include "plan/ruleset_build.h"
#include "system/hosts_file.h"
#include "system/loopback.h"
#include "system/probe_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. Up to the first commit a failure changes nothing (2, 3, 4). From then on
 * every failure leaves the confined users closed: what stands is the old table, deny-all, or the
 * new table, each put there by one transaction. apply->state_left says at any moment which it is,
 * in the words of the message.
 */

/* Names take time: nobody may be open meanwhile. Without names the one commit does it all. */
static bool resolve_closed(struct apply *apply, struct failure *failure)
{
	const char **names;
	size_t count;

	if (!policy_names(&apply->session.policy, &names, &count, &failure->err))
		return failure_set(failure, EXIT_USAGE, "%s", apply->state_left);
	free(names);
	if (!count)
		return true;
	/* With a filter that was done already. */
	return (apply->session.filtered || close_first(&apply->session, &apply->closed, failure)) &&
	       session_resolve(&apply->session, apply->state_left, failure);
}

/* What the users had connected before is not theirs any more, unless the new rules allow it. */
static bool end_sockets(struct apply *apply, struct failure *failure)
{
	if (firewall_end_sockets(&apply->plan.ruleset, apply->session.options->timeout_ms,
				 &apply->sockets, &failure->err))
		return true;
	return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
}

static bool read_back(struct apply *apply, struct failure *failure)
{
	const struct options *options = apply->session.options;
	size_t differences;

	if (!firewall_verify(&apply->session.firewall, apply_committed(apply), &apply->findings,
			     &failure->err) ||
	    (!options->no_hosts && apply->write_hosts &&
	     !hosts_file_compare(apply->session.hosts_file, &apply->plan.hosts, options->instance,
				 &apply->findings, &failure->err)))
		return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
	differences = findings_count_differences(&apply->findings);
	if (!differences)
		return true;
	for (size_t i = 0; i < apply->findings.count; i++)
		if (!finding_is_warning(apply->findings.items[i].kind)) {
			err_set(&failure->err,
				"read back %zu differences from the plan, the first: %s: %s",
				differences, apply->findings.items[i].object,
				apply->findings.items[i].detail);
			break;
		}
	return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
}

/* The answer to a probe that came through: deny-all. */
static bool close_open(struct apply *apply, struct failure *failure)
{
	struct err closing;

	err_set(&failure->err, "a probe of the canary came through");
	/* What stays open to them on loopback must not lead on from there. */
	apply->filter_ends = apply->plan.filtered;
	if (close_everything(&apply->session, apply->log, &closing))
		return failure_set(failure, EXIT_CLOSED,
				   "the confined users are closed (loopback only)");
	return failure_set(
		failure, EXIT_CLOSED,
		"deny-all could not be committed (%.120s): the new rules stand, and do not hold",
		closing.text);
}

static bool probe(struct apply *apply, struct failure *failure)
{
	const struct probe_run_settings settings = {
		.timeout_ms = apply->session.options->probe_timeout_ms,
		.control = apply->session.options->control,
		.by_difference = !firewall_counts(&apply->session.firewall),
	};
	struct witness witness;
	bool good;

	if (apply->session.options->no_canary)
		return true;
	if (!session_count_shared(&apply->session, failure))
		return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
	witness_open(&apply->session.firewall, &witness, apply->no_log_group);
	good = probe_run(&apply->plan.probes, &settings, &witness.for_probes, &apply->results,
			 &failure->err);
	witness_close(&witness);
	if (!good)
		return failure_set(failure, EXIT_CLOSED, "%s", apply->state_left);
	switch (probe_results_verdict(&apply->results)) {
	case OUTCOME_BLOCKED:
		return true;
	case OUTCOME_OPEN:
		return close_open(apply, failure);
	case OUTCOME_INCONCLUSIVE:
	case PROBE_OUTCOMES:
		break;
	}
	err_set(&failure->err, "the canary could not prove that the rules hold%s",
		loopback_is_down() ? ": " LOOPBACK_DOWN : "");
	return failure_set(failure, EXIT_INCONCLUSIVE, "%s, as they were read back",
			   apply->state_left);
}

static bool enforce(struct apply *apply, struct failure *failure)
{
	return session_check_enforceable(&apply->session, failure) &&
	       session_preflight(&apply->session, !apply->session.options->no_canary, failure) &&
	       session_settle_filter(&apply->session, NULL, failure) &&
	       session_open_state(&apply->session, true, failure) &&
	       session_read_standing(&apply->session, failure) &&
	       session_check_shared(&apply->session, failure) &&
	       apply_filter_check(apply, failure) && apply_hosts_check(apply, failure) &&
	       apply_filter_close(apply, failure) && resolve_closed(apply, failure) &&
	       apply_build_plan(apply, failure) && apply_filter_bring_up(apply, failure) &&
	       apply_commit(apply, failure) && end_sockets(apply, failure) &&
	       apply_hosts_write(apply, failure) && read_back(apply, failure) &&
	       probe(apply, failure) && apply_filter_ask(apply, failure) &&
	       apply_release(apply, failure);
}

static bool open_up(struct apply *apply, struct failure *failure)
{
	if (!session_preflight(&apply->session, false, failure) ||
	    !session_open_state(&apply->session, true, failure) ||
	    !session_read_standing(&apply->session, failure) ||
	    !undo(&apply->session, &apply->undone, failure))
		return false;
	apply->opened = true;
	return true;
}

void apply_begin(struct apply *ret, const struct options *options)
{
	*ret = (struct apply){ .session = { .options = options }, .log = true };
	ret->closed.log = &ret->log;
	ret->closed.state_left = ret->state_left;
	ret->closed.committed = &ret->committed;
	snprintf(ret->state_left, sizeof(ret->state_left), NOTHING_CHANGED);
}

bool apply_read(struct apply *apply, struct failure *failure)
{
	const struct options *options = apply->session.options;

	return session_begin(options, &apply->session, failure) &&
	       session_read_policy(&apply->session, options->arguments[0], failure) &&
	       session_find_users(&apply->session, failure);
}

bool apply_carry_out(struct apply *apply, struct failure *failure)
{
	bool good = apply->session.policy.mode == MODE_PUBLIC ? open_up(apply, failure)
							      : enforce(apply, failure);

	if (!good)
		apply_filter_abandon(apply, failure);
	return good;
}

static const struct rangeset *released(const struct apply *apply)
{
	if (apply->opened)
		return apply->undone.table ? &apply->session.standing : NULL;
	return apply->released ? &apply->leaving : NULL;
}

struct reporting apply_reporting(const struct apply *apply)
{
	return (struct reporting){
		.options = apply->session.options,
		.session = &apply->session,
		.plan = apply->planned ? &apply->plan : NULL,
		.findings = &apply->findings,
		.results = &apply->results,
		.undone = apply->opened ? &apply->undone : NULL,
		.released = released(apply),
		.sockets = apply->planned ? &apply->sockets : NULL,
		.note = *apply->hosts_note ? apply->hosts_note : NULL,
		.filter_state = apply->filter_state,
		.no_log_group = apply->no_log_group,
		.state = apply->opened ? "public: nobody is confined by this instance"
			 : apply->session.options->no_canary
				 ? "the rules stand as planned; not probed"
				 : "the rules stand as planned, and they hold",
		.hosts_written = apply->write_hosts,
		.hosts_changed = apply->hosts_changed,
	};
}

void apply_end(struct apply *apply)
{
	probe_results_free(&apply->results);
	findings_free(&apply->findings);
	if (apply->planned)
		plan_free(&apply->plan);
	ruleset_free(&apply->bridge);
	ruleset_free(&apply->closed.stands);
	rangeset_free(&apply->leaving);
	session_end(&apply->session);
}
