/* verify.c: egressfw verify: compare kernel and hosts file with what was applied, or a policy. */
#include "cmd/verify.h"

#include "base/memory.h"
#include "cmd/filter_run.h"
#include "cmd/verify_alone.h"
#include "cmd/verify_options.h"
#include "cmd/verify_users.h"
#include "plan/ruleset_build.h"
#include "system/hosts_file.h"
#include "system/privilege.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The addresses that were pinned for a name, so that a pool that rotates is no difference. */
static void take_pins(const struct hosts_block *hosts, const char *name, struct resolved_name *ret)
{
	*ret = (struct resolved_name){ .name = memory_copy_string(name), .status = RESOLVE_FOUND };
	for (size_t i = 0; i < hosts->count; i++) {
		struct addresses *found = &ret->found;

		if (strcmp(hosts->items[i].name, name))
			continue;
		found->items = memory_resize(found->items, found->count + 1, sizeof(*found->items));
		found->items[found->count++] = hosts->items[i].address;
	}
}

/* Whether the kept plan has pins for every name of the policy, which then are session->resolved. */
static bool reuse_pins(struct verify *verify, const char **names, size_t count)
{
	struct resolved resolved = { .items = memory_allocate(count, sizeof(*resolved.items)) };
	bool all = verify->has_kept;

	for (size_t i = 0; all && i < count; i++) {
		take_pins(&verify->kept.hosts, names[i], &resolved.items[resolved.count++]);
		all = resolved.items[i].found.count > 0;
	}
	if (all)
		verify->session.resolved = resolved;
	else
		resolved_free(&resolved);
	return all;
}

static bool find_addresses(struct verify *verify, struct failure *failure)
{
	const char **names;
	size_t count;
	bool reused;

	if (!policy_names(&verify->session.policy, &names, &count, &failure->err))
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	reused = reuse_pins(verify, names, count);
	free(names);
	return reused || session_resolve(&verify->session, NOTHING_CHANGED, failure);
}

static bool has_log(const struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++)
			for (size_t k = 0; k < ruleset->chains[i].rules[j].count; k++)
				if (ruleset->chains[i].rules[j].statements[k].kind == LOG)
					return true;
	return false;
}

/* Where nothing else was said, the filter is meant that was applied. */
static bool settle_filter(struct verify *verify, struct failure *failure)
{
	const struct filter_plan *kept =
		verify->has_kept && verify->kept.filtered ? &verify->kept.filter : NULL;

	if (kept && !session_take_filter_uid(&verify->session, kept->uid, failure))
		return false;
	return session_settle_filter(&verify->session, kept, failure);
}

static bool plan_from_policy(struct verify *verify, struct failure *failure)
{
	struct session *session = &verify->session;
	struct plan_request request;

	if (session->policy.mode == MODE_PUBLIC)
		return true;
	if (!session_check_enforceable(session, failure) || !settle_filter(verify, failure) ||
	    !find_addresses(verify, failure))
		return false;
	request =
		session_plan_request(session, !verify->has_kept || has_log(&verify->kept.ruleset));
	if (!plan_build(&request, &verify->wanted, &failure->err)) {
		err_wrap(&failure->err, "%s", session->policy_name);
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	verify->has_wanted = true;
	return true;
}

static bool compare_hosts(struct verify *verify, const struct hosts_block *hosts,
			  struct failure *failure)
{
	const struct options *options = verify->session.options;

	if (options->no_hosts || verify_left_hosts_alone(verify))
		return true;
	verify->hosts_compared =
		hosts_file_compare(verify->session.hosts_file, hosts, options->instance,
				   &verify->findings, &failure->err);
	return verify->hosts_compared || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

static bool compare_filter(struct verify *verify, const struct plan *plan, struct failure *failure)
{
	const struct policy *policy = verify->has_wanted ? &verify->session.policy : NULL;

	if (verify->has_kept && verify->kept.filtered)
		filter_compare_nameservers(&verify->kept.filter, &verify->findings);

	if (!plan->filtered || filter_compare(&verify->session, &plan->filter, policy,
					      &verify->findings, &failure->err))
		return true;
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* Who is confined is what the kernel says, and not what was wanted. */
static bool find_standing(struct verify *verify, struct failure *failure)
{
	struct ruleset standing = { 0 };
	bool present;

	if (!findings_count_differences(&verify->findings))
		return true;
	if (!firewall_read(&verify->session.firewall, &standing, &present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	verify->standing = ruleset_confined(&standing);
	verify->has_standing = true;
	verify->altered = present && !ruleset_is_intact(&standing);
	ruleset_free(&standing);
	return true;
}

static bool compare(struct verify *verify, const struct plan *plan, struct failure *failure)
{
	if (!firewall_verify(&verify->session.firewall, &plan->ruleset, &verify->findings,
			     &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	return find_standing(verify, failure) && compare_hosts(verify, &plan->hosts, failure) &&
	       compare_filter(verify, plan, failure);
}

/*
 * Without a policy, what was said besides can only be about what is kept; with one that needs the
 * filter too, as to what its settings do not tell: its program, and who starts it.
 */
static bool compare_options(struct verify *verify, bool has_policy, struct failure *failure)
{
	const struct options *options = verify->session.options;
	const struct plan *kept = verify->has_kept ? &verify->kept : NULL;

	if (has_policy &&
	    !(verify->has_wanted && verify->wanted.filtered && kept && kept->filtered))
		return true;
	return (has_policy ||
		verify_check_users(options, kept ? &kept->confined : NULL, "the plan", failure)) &&
	       verify_compare_filter_options(options, kept, &verify->findings, failure);
}

/* Before and after: what is compared is read in between. */
static void look_for_others(struct verify *verify)
{
	const struct state *state = verify->session.state;

	if (state && !*verify->busy && !state_is_locked(state, verify->busy))
		*verify->busy = '\0';
}

static bool find_differences(struct verify *verify, struct failure *failure)
{
	const struct options *options = verify->session.options;
	bool has_policy = options->argument_count > 0;

	if (!session_begin(options, &verify->session, failure))
		return false;
	if (has_policy && (!session_read_policy(&verify->session, options->arguments[0], failure) ||
			   !session_find_users(&verify->session, failure)))
		return false;
	if (!session_open_firewall(&verify->session, failure) ||
	    !session_open_state(&verify->session, false, failure))
		return false;
	look_for_others(verify);
	if (!session_read_plan(&verify->session, &verify->kept, &verify->has_kept, failure))
		return false;
	if (verify->has_kept)
		session_take_hosts_file(&verify->session, verify->kept.hosts_file);
	if (has_policy && !plan_from_policy(verify, failure))
		return false;
	if (!compare_options(verify, has_policy, failure))
		return false;
	if (verify->has_wanted)
		return compare(verify, &verify->wanted, failure);
	if (!has_policy && verify->has_kept)
		return (verify_compare_users(&verify->kept, &verify->findings, &failure->err) ||
			failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED)) &&
		       compare(verify, &verify->kept, failure);
	if (!verify_alone(&verify->session, has_policy, verify->busy, &verify->findings, failure))
		return false;
	/* The policy is public: nothing of ours may be left. */
	return !has_policy || compare_hosts(verify, &(struct hosts_block){ 0 }, failure);
}

/* Of two tables one may stand: then somebody is confined in one family. */
static bool table_is_missing(const struct verify *verify)
{
	for (size_t i = 0; i < verify->findings.count; i++)
		if (verify->findings.items[i].kind == FINDING_TABLE_MISSING)
			return !verify->session.firewall.split;
	return false;
}

/* What can be said of a comparison that came to no end. */
static int print_failure(const struct verify *verify, const struct failure *failure)
{
	const struct reporting reporting = { .options = verify->session.options,
					     .session = &verify->session };

	return reporting_print(&reporting, failure->status, failure);
}

static int print(const struct verify *verify)
{
	int status = findings_count_differences(&verify->findings) ? EXIT_NO : EXIT_DONE;
	bool kept = verify->has_kept && !session_is_public(&verify->session);
	struct reporting reporting = {
		.options = verify->session.options,
		.session = &verify->session,
		.plan = verify->has_wanted ? &verify->wanted
			: kept             ? &verify->kept
					   : NULL,
		.findings = &verify->findings,
		.standing = verify->has_standing ? &verify->standing : NULL,
		.altered = verify->altered,
		.table_missing = table_is_missing(verify),
		.hosts_compared = verify->hosts_compared,
	};
	autofree char *state = NULL;

	state = verify_state_text(verify, &reporting, status == EXIT_DONE);
	reporting.state = state;
	return reporting_print(&reporting, status, NULL);
}

int cmd_verify(const struct options *options)
{
	struct verify verify = { .session = { .options = options } };
	struct failure failure = { 0 };
	bool good = find_differences(&verify, &failure);
	int status;

	if (good && findings_count_differences(&verify.findings))
		look_for_others(&verify);
	status = good ? print(&verify) : print_failure(&verify, &failure);

	findings_free(&verify.findings);
	rangeset_free(&verify.standing);
	if (verify.has_wanted)
		plan_free(&verify.wanted);
	if (verify.has_kept)
		plan_free(&verify.kept);
	session_end(&verify.session);
	return status;
}
