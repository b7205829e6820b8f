/* canary.c: egressfw canary: probe as the confined users, and prove that it was us who refused. */
#include "cmd/need.h"
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/witness.h"

#include "base/memory.h"
#include "base/text.h"
#include "plan/ruleset_build.h"
#include "system/privilege.h"
#include "system/users.h"

#include <stdlib.h>
#include <string.h>

struct canary {
	struct session session;
	struct plan kept;
	bool has_kept;
	bool has_rules;           /* a table of ours stands, can be read, and confines the users */
	const char *why_unproven; /* where has_rules is false */
	struct probes probes;
	struct probe_results results;
	char no_log_group[ERR_TEXT_SIZE];
};

static bool parse_targets(const struct options *options, struct address_ports *ret,
			  struct failure *failure)
{
	ret->items = memory_allocate((size_t)options->argument_count, sizeof(*ret->items));
	ret->count = 0;
	for (int i = 0; i < options->argument_count; i++)
		if (!address_port_parse(options->arguments[i], &ret->items[ret->count++],
					&failure->err)) {
			const char *stray = text_stray_blank(options->arguments[i]);

			if (stray)
				err_append(&failure->err, "; the target %s", stray);
			free(ret->items);
			return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
		}
	return true;
}

/*
 * The kernel's side is worth having and not required: without it nothing can be proven, but "open"
 * can be seen.
 */
static bool look_at_kernel(struct canary *canary, struct failure *failure)
{
	struct session *session = &canary->session;
	struct ruleset standing = { 0 };
	struct rangeset confined;
	bool present;

	if (!privilege_is_permitted(PRIVILEGE_NET_ADMIN)) {
		canary->why_unproven =
			"CAP_NET_ADMIN is missing, so that neither our counters nor the kernel's "
			"log could be read and nothing can be proven: start the container with "
			"that capability added, or run this as root";
		if (!session->confined.count && canary->has_kept)
			session->confined = rangeset_copy(&canary->kept.confined);
		return true;
	}
	if (!session_open_firewall(session, failure))
		return false;
	if (!firewall_read(&session->firewall, &standing, &present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	canary->has_rules = present && ruleset_find_chain(&standing, "refuse");
	canary->why_unproven = present ? "our table is not whole: it refuses nothing"
				       : "there is no table of ours: whatever refused, we did not";
	if (present && canary->has_kept && strcmp(standing.comment, canary->kept.ruleset.comment)) {
		plan_free(&canary->kept);
		canary->has_kept = false;
	}
	if (!session->confined.count && canary->has_kept)
		session->confined = rangeset_copy(&canary->kept.confined);
	if (!session->confined.count)
		session->confined = ruleset_confined(&standing);
	/*
	 * What our rules do not confine they cannot have refused, whatever they counted meanwhile.
	 */
	confined = ruleset_confined(&standing);
	if (canary->has_rules && !rangeset_covers(&confined, &session->confined)) {
		canary->why_unproven = "our table does not confine all of these users";
		canary->has_rules = false;
	}
	rangeset_free(&confined);
	ruleset_free(&standing);
	return true;
}

static bool find_users(struct canary *canary, struct failure *failure)
{
	static const struct users_files files = { NULL, NULL };
	const struct user_specs none = { NULL, 0 };
	struct session *session = &canary->session;
	bool cannot;

	return !session->options->users.count ||
	       users_confined(&none, &session->options->users, (uid_t)-1, &files,
			      &session->confined, &cannot, &failure->err) ||
	       failure_set(failure, cannot ? EXIT_CANNOT : EXIT_USAGE, NOTHING_CHANGED);
}

/*
 * Default targets come from what is applied; where no plan is kept, from what a policy without
 * targets has.
 */
static bool find_probes(struct canary *canary, const struct address_ports *targets,
			struct failure *failure)
{
	static const struct policy plain = { .mode = MODE_NO_NETWORK };
	struct session *session = &canary->session;

	if (!users_representatives(&session->confined, NULL, NULL, &session->probed, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (!session_check_probed(session, failure))
		return false;
	if (targets->count) {
		probes_build_named(targets, &session->probed, &canary->probes);
	} else if (canary->has_kept && !session->options->users.count) {
		canary->probes = canary->kept.probes;
		canary->kept.probes = (struct probes){ 0 };
	} else {
		probes_build(&plain, NULL, &session->probed, session->preflight.ipv6,
			     &canary->probes);
	}
	return true;
}

static bool run_probes(struct canary *canary, struct failure *failure)
{
	const struct options *options = canary->session.options;
	const struct probe_run_settings settings = {
		.timeout_ms = options->probe_timeout_ms,
		.control = options->control,
		.by_difference = canary->has_rules && !firewall_counts(&canary->session.firewall),
	};
	struct witness witness = { 0 };
	bool good;

	if (canary->has_rules && !session_count_shared(&canary->session, failure))
		return false;
	if (canary->has_rules)
		witness_open(&canary->session.firewall, &witness, canary->no_log_group);
	good = probe_run(&canary->probes, &settings, &witness.for_probes, &canary->results,
			 &failure->err);
	witness_close(&witness);
	return good || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

static bool probe(struct canary *canary, struct failure *failure)
{
	const struct options *options = canary->session.options;
	static const enum privilege needed[] = { PRIVILEGE_SETUID, PRIVILEGE_SETGID };
	struct address_ports targets;
	bool good;

	if (!session_begin(options, &canary->session, failure) ||
	    !parse_targets(options, &targets, failure))
		return false;
	/*
	 * Whoever probes must become the user; who cannot may not read the state directory either.
	 */
	if (!need_privileges(needed, 2, failure)) {
		free(targets.items);
		return false;
	}
	if (!session_open_state(&canary->session, false, failure) ||
	    !session_read_plan(&canary->session, &canary->kept, &canary->has_kept, failure) ||
	    !find_users(canary, failure) || !look_at_kernel(canary, failure)) {
		free(targets.items);
		return false;
	}
	if (!canary->session.confined.count) {
		free(targets.items);
		err_set(&failure->err,
			"nothing is applied that says who is confined: name the user with --user");
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	good = find_probes(canary, &targets, failure);
	free(targets.items);
	return good && run_probes(canary, failure);
}

static int exit_status(const struct probe_results *results)
{
	switch (probe_results_verdict(results)) {
	case OUTCOME_BLOCKED:
		return EXIT_DONE;
	case OUTCOME_OPEN:
		return EXIT_NO;
	case OUTCOME_INCONCLUSIVE:
	case PROBE_OUTCOMES:
		break;
	}
	return EXIT_INCONCLUSIVE;
}

/* What is proven, and no more; the caller frees it. */
static char *blocked_text(const struct probe_results *results)
{
	struct probe_counts counts = probe_results_count(results);
	struct buffer text = { 0 };

	if (counts.proven == results->count)
		return memory_copy_string(
			"every target is blocked, and it was our rule that refused");
	buffer_printf(&text,
		      "our rule refused %zu of %zu probes, and nothing is proven of the "
		      "others:",
		      counts.proven, results->count);
	if (counts.unrouted)
		buffer_printf(&text, " %zu could not be tried for want of a route%s",
			      counts.unrouted, counts.untold ? "," : "");
	if (counts.untold)
		buffer_printf(&text, " of %zu nothing could be seen", counts.untold);
	return buffer_steal(&text);
}

static char *outcome_text(const struct probe_results *results)
{
	switch (probe_results_verdict(results)) {
	case OUTCOME_BLOCKED:
		return blocked_text(results);
	case OUTCOME_OPEN:
		return memory_copy_string(
			"OPEN: a confined user reaches a target; where the policy does not allow "
			"it, end that user's programs and apply again");
	case OUTCOME_INCONCLUSIVE:
	case PROBE_OUTCOMES:
		break;
	}
	return memory_copy_string("nothing came through, and nothing proves that it was us");
}

int cmd_canary(const struct options *options)
{
	struct canary canary = { .session = { .options = options } };
	struct failure failure = { 0 };
	bool good = probe(&canary, &failure);
	autofree char *state = outcome_text(&canary.results);
	const struct reporting reporting = {
		.options = options,
		.session = &canary.session,
		.results = &canary.results,
		.no_log_group = canary.no_log_group,
		.note = canary.has_rules ? NULL : canary.why_unproven,
		.state = state,
	};
	int status = reporting_print(&reporting,
				     good ? exit_status(&canary.results) : (int)failure.status,
				     good ? NULL : &failure);

	probe_results_free(&canary.results);
	probes_free(&canary.probes);
	if (canary.has_kept)
		plan_free(&canary.kept);
	session_end(&canary.session);
	return status;
}
