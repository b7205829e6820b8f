/* run.c: egressfw run: apply, become the confined user without any privilege, execute a program. */
#include "cmd/apply.h"
#include "cmd/need.h"

#include "base/memory.h"
#include "plan/filter_environment.h"
#include "plan/report.h"
#include "plan/run_environment.h"
#include "system/become_user.h"
#include "system/environment.h"
#include "system/execute.h"
#include "system/identity.h"
#include "system/privilege.h"
#include "system/run_init.h"
#include "system/seccomp_filter.h"
#include "system/users.h"
#include "system/working_directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
	const struct options *options;
	struct apply apply;
	struct identity identity;
	char *directory;               /* in which the program starts; a whole path */
	struct seccomp_filter *filter; /* NULL: the policy is public */
	char **filter_variables;       /* NULL: the policy needs no filter */
	char state[256];               /* what a failure leaves behind */
};

static bool choose_user(struct run *run, struct failure *failure)
{
	const struct session *session = &run->apply.session;
	bool cannot;

	if (!identity_choose(&session->policy.users, &run->options->users, NULL, &run->identity,
			     &cannot, &failure->err)) {
		err_wrap(&failure->err, "%s", session->policy_name);
		return failure_set(failure, cannot ? EXIT_CANNOT : EXIT_USAGE, NOTHING_CHANGED);
	}
	if (!users_is_here(run->identity.uid, NULL)) {
		err_set(&failure->err,
			"%s: user \"%s\", uid %u, is none that this user namespace has",
			session->policy_name, run->identity.name, (unsigned)run->identity.uid);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (session->policy.mode == MODE_PUBLIC ||
	    rangeset_contains(&session->confined, run->identity.uid))
		return true;
	err_set(&failure->err, "%s: user \"%s\", uid %u, is not confined", session->policy_name,
		run->identity.name, (unsigned)run->identity.uid);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

static bool find_directory(struct run *run, struct failure *failure)
{
	const struct options *options = run->options;

	if (working_directory_find(options->cwd, &run->directory, &failure->err) &&
	    working_directory_check(run->directory, !options->cwd, &run->identity,
				    options->timeout_ms, &failure->err))
		return true;
	if (options->cwd)
		err_wrap(&failure->err, "--cwd");
	else
		err_append(&failure->err, "; name another one with --cwd");
	return failure_set(failure, options->cwd ? EXIT_USAGE : EXIT_CANNOT, NOTHING_CHANGED);
}

/* All that can be known to fail before anything is changed. */
static bool prepare(struct run *run, struct failure *failure)
{
	static const enum privilege needed[] = { PRIVILEGE_NET_ADMIN, PRIVILEGE_SETUID,
						 PRIVILEGE_SETGID, PRIVILEGE_SETPCAP,
						 PRIVILEGE_CHOWN };
	size_t count = sizeof(needed) / sizeof(*needed);

	/* The last one is for the filter alone. */
	if (!need_privileges(needed, run->apply.session.filtered ? count : count - 1, failure) ||
	    !find_directory(run, failure))
		return false;
	if (become_check_standard(&failure->err) &&
	    (run->apply.session.policy.mode == MODE_PUBLIC ||
	     seccomp_filter_build(run->options->allow_io_uring, &run->filter, &failure->err)))
		return true;
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* The caller frees it. */
static char *state_text(const struct reporting *all)
{
	struct buffer text = { 0 };

	buffer_append_text(&text, all->state);
	if (all->results->count) {
		buffer_append_text(&text, ": ");
		probe_results_print_counts(all->results, &text);
	}
	return buffer_steal(&text);
}

/* Standard output is the program's. */
static void report(const struct run *run)
{
	const struct reporting all = apply_reporting(&run->apply);
	const struct probe_results *results = all.results;
	autofree char *released = reporting_released_note(&all);
	autofree char *state = NULL;

	if (run->options->quiet) {
		reporting_warn_quietly(&all, released);
		return;
	}
	state = state_text(&all);
	struct report report = {
		.command = run->options->command,
		.instance = run->options->instance,
		.policy_path = all.session->policy_name,
		.policy = &all.session->policy,
		.confined = reporting_confined(&all),
		.released = all.released,
		.findings = all.findings,
		.state = state,
	};
	struct buffer text = { 0 };

	report_add_filter_notes(&report, all.plan && all.plan->filtered ? &all.plan->filter : NULL);
	if (all.session->filter_forgotten)
		report_add_note(&report, all.session->filter_forgotten);
	if (all.session->filter_remark)
		report_add_note(&report, all.session->filter_remark);
	if (all.session->filter_company)
		report_add_note(&report, all.session->filter_company);
	report_add_route_notes(&report, results);
	if (results->count)
		reporting_add_loopback_note(&report);
	if (all.note)
		report_add_note(&report, all.note);
	if (released)
		report_add_note(&report, released);
	report_text(&report, &text);
	report_free(&report);
	fwrite(text.data, 1, text.length, stderr);
	buffer_free(&text);
}

/*
 * The point of no return: whatever fails in here, this process ends. In design's order, but what
 * needs CAP_SETPCAP comes before the ids, which take it away.
 */
static bool become(const struct run *run, struct failure *failure)
{
	if (become_close_descriptors(&failure->err) && become_user(&run->identity, &failure->err) &&
	    (!run->filter || seccomp_filter_load(run->filter, &failure->err)))
		return true;
	return failure_set(failure, EXIT_CLOSED, "%s", run->state);
}

static bool settle_program(const struct run *run, struct failure *failure)
{
	if (working_directory_enter(run->directory, &run->identity, &failure->err) &&
	    environment_hand_over(&failure->err) &&
	    (!run->options->init || run_init_split(&failure->err)))
		return true;
	return failure_set(failure, EXIT_CLOSED, "%s", run->state);
}

/* The filter's variables, and above them those of the command line. */
static struct words all_settings(const struct run *run)
{
	const struct words *env = &run->options->env;
	struct words settings = { 0 };
	size_t count = 0;

	while (run->filter_variables && run->filter_variables[count])
		count++;
	settings.items = memory_allocate(count + env->count, sizeof(*settings.items));
	for (; settings.count < count; settings.count++)
		settings.items[settings.count] = run->filter_variables[settings.count];
	for (size_t i = 0; i < env->count; i++)
		settings.items[settings.count++] = env->items[i];
	return settings;
}

/* Returns only where the program could not be executed. */
static bool execute_program(const struct run *run, struct failure *failure)
{
	const struct options *options = run->options;
	struct words settings = all_settings(run);
	const struct run_environment from = {
		.inherited = (const char *const *)environ,
		.patterns = options->keep_env.items,
		.pattern_count = options->keep_env.count,
		.settings = settings.items,
		.setting_count = settings.count,
		.user = run->identity.name,
		.home = run->identity.home,
		.shell = run->identity.shell,
	};
	char **variables = run_environment_build(&from);
	bool found;
	int errnum = execute(options->program, variables, &found);

	run_environment_free(variables);
	free(settings.items);
	if (found)
		err_set_errno(&failure->err, errnum, "%s: cannot be executed by \"%s\"",
			      options->program[0], run->identity.name);
	else
		err_set(&failure->err, "%s: is not found by \"%s\"", options->program[0],
			run->identity.name);
	if (found && errnum == ENOENT)
		err_append(&failure->err, "; it is there, and what it needs to start is not: the "
					  "interpreter behind its \"#!\", or the dynamic loader");
	return failure_set(failure, found ? EXIT_NOT_EXECUTABLE : EXIT_NOT_FOUND, "%s", run->state);
}

int cmd_run(const struct options *options)
{
	struct run run = { .options = options };
	struct failure failure = { 0 };
	bool good;

	apply_begin(&run.apply, options);
	good = apply_read(&run.apply, &failure) && choose_user(&run, &failure) &&
	       prepare(&run, &failure) && apply_carry_out(&run.apply, &failure);
	if (good)
		report(&run);
	snprintf(run.state, sizeof(run.state), "%s, and the program was not started",
		 run.apply.opened ? "nobody is confined" : "the rules stand");
	if (good && run.apply.plan.filtered)
		run.filter_variables = filter_environment(&run.apply.plan.filter.listen);
	apply_end(&run.apply);
	if (good && become(&run, &failure) && settle_program(&run, &failure))
		execute_program(&run, &failure);
	failure_say(&failure, options);
	seccomp_filter_free(run.filter);
	run_environment_free(run.filter_variables);
	identity_free(&run.identity);
	free(run.directory);
	return failure_exit_status(&failure, options);
}
