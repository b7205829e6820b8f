/* session.c: what most commands need before their own work: policy, users, names, state, kernel. */
#include "cmd/session.h"

#include "base/memory.h"
#include "cmd/need.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_lower.h"
#include "system/descriptor.h"
#include "system/policy_file.h"
#include "system/privilege.h"
#include "system/resolver.h"
#include "system/resolver_explain.h"
#include "system/users.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool session_begin(const struct options *options, struct session *ret, struct failure *failure)
{
	struct session session = { .options = options };

	if (!privilege_begin(&failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	*ret = session;
	return session_find_hosts_file(ret, failure);
}

void session_end(struct session *session)
{
	if (firewall_is_open(&session->firewall))
		firewall_close(&session->firewall);
	if (session->state)
		state_close(session->state);
	resolved_free(&session->resolved);
	rangeset_free(&session->confined);
	named_users_free(&session->names);
	rangeset_free(&session->probed);
	rangeset_free(&session->standing);
	policy_free(&session->policy);
	filter_plan_free(&session->filter);
	free(session->filter_forgotten);
	free(session->filter_remark);
	free(session->filter_company);
	free(session->shared);
	free(session->hosts_file);
	free(session->former_hosts);
}

bool session_read_policy(struct session *session, const char *path, struct failure *failure)
{
	struct buffer text = { 0 };
	bool good;

	session->policy_name = !strcmp(path, "-") ? "standard input" : path;
	if (!policy_file_read(path, privilege_is_privileged(), &text, &failure->err))
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	good = policy_parse((const char *)text.data, text.length, &session->policy, &failure->err);
	buffer_free(&text);
	session->has_policy = good;
	if (good)
		return true;
	err_wrap(&failure->err, "%s", session->policy_name);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

/*
 * A pin for this machine's own name would shadow the line that the engine wrote for it (hosts(5)).
 */
static bool check_own_name(struct session *session, struct failure *failure)
{
	char own[HOST_NAME_MAX + 1] = "";
	const char **names;
	size_t count;
	bool good = true;

	if (!policy_names(&session->policy, &names, &count, &failure->err)) {
		err_wrap(&failure->err, "%s", session->policy_name);
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	gethostname(own, sizeof(own) - 1);
	for (size_t i = 0; i < count && good; i++)
		if (!strcasecmp(names[i], own)) {
			err_set(&failure->err,
				"%s: allowed_hosts: \"%s\" is this machine's own name",
				session->policy_name, own);
			good = failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
		}
	free(names);
	return good;
}

bool session_check_enforceable(struct session *session, struct failure *failure)
{
	if (!plan_can_enforce(&session->policy, &failure->err)) {
		err_wrap(&failure->err, "%s", session->policy_name);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	return check_own_name(session, failure);
}

static bool refuse_user_namespace(const struct session *session, struct failure *failure)
{
	err_set(&failure->err,
		"this network namespace belongs to another user namespace, so that rules by uid "
		"would mean other users: %s",
		session->preflight.user_namespace_sign);
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* gVisor's owner match does, whichever user namespace its network belongs to. */
static bool firewall_compares_first_uids(const struct session *session)
{
	const struct firewall *firewall = &session->firewall;

	return session->preflight.first_uids && firewall->xt && xt_kernel(firewall->xt)->plain;
}

/* What only nf_tables can do is refused where there are none. */
static bool check_expressible(const struct session *session, struct failure *failure)
{
	const struct firewall *firewall = &session->firewall;

	if (!firewall->xt || !session->has_policy || session->policy.mode == MODE_PUBLIC ||
	    xt_can_express(&session->policy, session->options->instance, xt_kernel(firewall->xt),
			   &failure->err))
		return true;
	err_wrap(&failure->err, "%s", session->policy_name);
	return false;
}

bool session_open_firewall(struct session *session, struct failure *failure)
{
	static const enum privilege needed[] = { PRIVILEGE_NET_ADMIN };
	char table[RULESET_NAME_SIZE];
	struct firewall_request request = {
		.backend = session->options->backend,
		.table = table,
		.timeout_ms = session->options->timeout_ms,
	};

	if (!need_privileges(needed, 1, failure))
		return false;
	if (!preflight_read(&session->preflight, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (session->preflight.foreign_user_namespace && !session->preflight.first_uids)
		return refuse_user_namespace(session, failure);
	plan_table_name(session->options->instance, table);
	request.ipv6 = session->preflight.ipv6;
	if (!firewall_open(&request, &session->firewall, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (session->preflight.foreign_user_namespace && !firewall_compares_first_uids(session))
		return refuse_user_namespace(session, failure);
	return check_expressible(session, failure) ||
	       failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* A confined user that somehow has the capability may not take its own walls down. */
bool session_read_standing(struct session *session, struct failure *failure)
{
	struct ruleset standing = { 0 };
	bool present;
	uid_t self = getuid();

	rangeset_free(&session->standing);
	if (!firewall_read(&session->firewall, &standing, &present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	session->standing = ruleset_confined(&standing);
	session->standing_filter = ruleset_filter_uid(&standing);
	ruleset_free(&standing);
	if (!rangeset_contains(&session->standing, self))
		return true;
	err_set(&failure->err, "uid %u, which started this, is a confined user", (unsigned)self);
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

bool session_preflight(struct session *session, bool needs_probes, struct failure *failure)
{
	uid_t self = getuid();

	if (rangeset_contains(&session->confined, self)) {
		err_set(&failure->err, "uid %u, which started this, is a confined user",
			(unsigned)self);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (!session_open_firewall(session, failure) ||
	    !need_besides(needs_probes, session->filtered, failure) ||
	    (needs_probes && !session_check_probed(session, failure)))
		return false;
	if (session->filtered && !users_is_here(session->filter.uid, NULL)) {
		err_set(&failure->err,
			"the filter's user, uid %u, is none that this user namespace has: name "
			"another one with --filter-user",
			(unsigned)session->filter.uid);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (session->preflight.host_network && !session->options->allow_host_network) {
		err_set(&failure->err,
			"this is the host's own network (%s), not a container's; "
			"--allow-host-network confines users there",
			session->preflight.host_network_sign);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	return true;
}

bool session_open_state(struct session *session, bool create, struct failure *failure)
{
	const struct options *options = session->options;
	bool absent = false;

	/*
	 * The filter needs one, in an image with nothing but programs too; where not, that is said.
	 */
	if (create && session->filtered && !options->state_given)
		directory_make_parents(options->state_directory);
	if (!state_open(options->state_directory, options->instance, create, &session->state,
			&absent, &failure->err)) {
		session->state = NULL;
		session->no_state = failure->err;
		if (absent && (!create || !options->state_given))
			return true;
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (create && !state_lock(session->state, options->timeout_ms, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	return true;
}

static void show_progress(void *context, size_t open, size_t total, unsigned elapsed_ms)
{
	const struct options *options = context;

	if (!options->quiet && isatty(STDERR_FILENO))
		fprintf(stderr,
			"egressfw %s: waiting for the addresses of %zu of %zu names, %u s\n",
			options->command, open, total, elapsed_ms / 1000);
}

bool session_resolve(struct session *session, const char *state_left, struct failure *failure)
{
	const struct resolver_settings settings = {
		.timeout_ms = session->options->timeout_ms,
		.progress = show_progress,
		.context = (void *)session->options,
	};

	if (resolver_run(&session->policy, &settings, &session->resolved, &failure->err)) {
		if (resolved_check(&session->resolved, &failure->err))
			return true;
		resolver_explain("/etc/resolv.conf", &session->resolved, &failure->err);
	}
	return failure_set(failure, EXIT_UNRESOLVED, "%s", state_left);
}

bool session_read_plan(struct session *session, struct plan *ret, bool *ret_present,
		       struct failure *failure)
{
	struct buffer bytes = { 0 };

	*ret_present = false;
	if (!session->state)
		return true;
	if (!state_read(session->state, STATE_PLAN, &bytes, ret_present, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	/* A plan that cannot be read is none; the report says so. */
	if (*ret_present && !plan_decode(bytes.data, bytes.length, ret, &session->no_state))
		*ret_present = false;
	buffer_free(&bytes);
	return true;
}

struct plan_request session_plan_request(const struct session *session, bool log)
{
	return (struct plan_request){
		.policy = &session->policy,
		.resolved = &session->resolved,
		.confined = &session->confined,
		.names = &session->names,
		.probed = &session->probed,
		.instance = session->options->instance,
		.log = log,
		.ipv6 = session->preflight.ipv6,
		.hosts = !session->options->no_hosts,
		.hosts_file =
			session->options->no_hosts ? session->former_hosts : session->hosts_file,
		.filter = session->filtered ? &session->filter : NULL,
	};
}
