/* plan.c: egressfw plan: resolve, and print what apply would write. */
#include "cmd/session.h"

#include "base/memory.h"
#include "cmd/filter_settings.h"
#include "cmd/plan_list.h"
#include "plan/ruleset_print.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool make_plan(struct session *session, struct plan *ret, struct failure *failure)
{
	struct plan_request request;
	struct err err;

	if (session->policy.mode == MODE_PUBLIC) {
		*ret = (struct plan){ 0 };
		return true;
	}
	if (session->options->backend == BACKEND_XT) {
		err_set(&failure->err, "--backend xt: the plan is printed as nft(8) text only");
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (!session_check_enforceable(session, failure))
		return false;
	/* Without a word from the kernel the plan is made for IPv6, which only adds probes. */
	session->preflight.ipv6 =
		preflight_read(&session->preflight, &err) ? session->preflight.ipv6 : true;
	if (!session_settle_filter(session, NULL, failure) ||
	    !session_resolve(session, NOTHING_CHANGED, failure))
		return false;
	request = session_plan_request(session, true);
	if (plan_build(&request, ret, &failure->err))
		return true;
	err_wrap(&failure->err, "%s", session->policy_name);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

struct texts {
	struct buffer rules, hosts, settings;
};

static void print_comment(struct buffer *text)
{
	const char *line = buffer_string(text);

	while (*line) {
		const char *end = strchrnul(line, '\n');

		printf("#   %.*s\n", (int)(end - line), line);
		line = *end ? end + 1 : end;
	}
}

/* All but the ruleset is a comment for nft -f, so that the whole output can be loaded. */
static void print_text(const struct plan *plan, struct texts *texts)
{
	fwrite(texts->rules.data, 1, texts->rules.length, stdout);
	if (!plan->ruleset.chain_count)
		puts("# network_mode \"public\": apply takes our table and our hosts lines out");
	if (plan->hosts.count)
		puts("\n# appended to the hosts file:");
	print_comment(&texts->hosts);
	if (plan->filtered)
		printf("\n# told to the filter, %s, which runs as uid %u:\n", plan->filter.program,
		       (unsigned)plan->filter.uid);
	print_comment(&texts->settings);
}

static void print_json(const struct plan *plan, struct texts *texts)
{
	json_t *object = json_pack("{s:s, s:i, s:s, s:s, s:s, s:o}", "command", "plan",
				   "exit_status", EXIT_DONE, "digest", plan->ruleset.comment,
				   "ruleset", buffer_string(&texts->rules), "hosts",
				   buffer_string(&texts->hosts), "filter",
				   plan->filtered ? json_loadb((const char *)texts->settings.data,
							       texts->settings.length, 0, NULL)
						  : json_null());

	if (!object)
		memory_exhausted();
	json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(object);
}

int cmd_plan(const struct options *options)
{
	struct session session = { .options = options };
	struct failure failure;
	struct texts texts = { 0 };
	struct plan plan;
	int status = EXIT_DONE;

	if (options->format == FORMAT_CIDR_LIST)
		return plan_list(options);
	if (session_begin(options, &session, &failure) &&
	    session_read_policy(&session, options->arguments[0], &failure) &&
	    session_find_users(&session, &failure) && make_plan(&session, &plan, &failure)) {
		if (plan.ruleset.chain_count)
			ruleset_print(&plan.ruleset, &texts.rules);
		if (plan.hosts.count)
			hosts_block_print(&plan.hosts, options->instance, &texts.hosts);
		if (plan.filtered)
			filter_settings_print(&session.policy, &plan.filter, &texts.settings);
		if (options->json)
			print_json(&plan, &texts);
		else if (!options->quiet)
			print_text(&plan, &texts);
		buffer_free(&texts.rules);
		buffer_free(&texts.hosts);
		buffer_free(&texts.settings);
		plan_free(&plan);
	} else {
		status = failure_print(&failure, options);
	}
	session_end(&session);
	return status;
}
