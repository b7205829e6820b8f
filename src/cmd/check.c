/* check.c: egressfw check: validate a policy, print it in its normal form, decide targets. */
#include "cmd/session.h"

#include "base/memory.h"
#include "policy/decide.h"
#include "policy/url.h"

#include <jansson.h>
#include <stdio.h>

struct judged {
	const char *text;
	struct decision decision;
};

static bool judge_targets(const struct session *session, struct judged *judged,
			  struct failure *failure)
{
	const struct options *options = session->options;

	for (int i = 1; i < options->argument_count; i++) {
		struct target target;

		if (!target_parse(options->arguments[i], &target, &failure->err))
			return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
		judged[i - 1].text = options->arguments[i];
		decide(&session->policy, &target, &judged[i - 1].decision);
		target_free(&target);
	}
	return true;
}

static void print_text(const struct buffer *policy, const struct judged *judged, int count)
{
	if (!count)
		fwrite(policy->data, 1, policy->length, stdout);
	for (int i = 0; i < count; i++)
		printf("%-7s %s  (%s; %s; by the %s layer)\n",
		       verdict_name(judged[i].decision.verdict), judged[i].text,
		       judged[i].decision.rule, judged[i].decision.reason,
		       layer_name(judged[i].decision.layer));
}

static void print_json(const struct buffer *policy, const struct judged *judged, int count,
		       int status)
{
	json_t *decisions = json_array(), *object;

	for (int i = 0; i < count; i++) {
		const struct decision *decision = &judged[i].decision;

		if (json_array_append_new(decisions, json_pack("{s:s, s:s, s:s, s:s, s:s}",
							       "target", judged[i].text, "decision",
							       verdict_name(decision->verdict),
							       "rule", decision->rule, "layer",
							       layer_name(decision->layer),
							       "reason", decision->reason)))
			memory_exhausted();
	}
	object =
		json_pack("{s:s, s:i, s:o, s:o}", "command", "check", "exit_status", status,
			  "policy", json_loadb((const char *)policy->data, policy->length, 0, NULL),
			  "decisions", decisions);
	if (!object)
		memory_exhausted();
	json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(object);
}

/* Blocked and not yet decidable are both no yes. */
static int worst(const struct judged *judged, int count)
{
	for (int i = 0; i < count; i++)
		if (judged[i].decision.verdict == VERDICT_BLOCK)
			return EXIT_NO;
	return EXIT_DONE;
}

int cmd_check(const struct options *options)
{
	int count = options->argument_count - 1, status;
	autofree struct judged *judged = memory_allocate((size_t)count, sizeof(*judged));
	struct session session = { .options = options };
	struct failure failure;
	struct buffer policy = { 0 };

	if (session_begin(options, &session, &failure) &&
	    session_read_policy(&session, options->arguments[0], &failure) &&
	    (!options->users.count || session_find_users(&session, &failure)) &&
	    judge_targets(&session, judged, &failure)) {
		status = worst(judged, count);
		if (options->json || (!options->quiet && !count))
			policy_print(&session.policy, &policy);
		if (options->json)
			print_json(&policy, judged, count, status);
		else if (!options->quiet)
			print_text(&policy, judged, count);
		buffer_free(&policy);
	} else {
		status = failure_print(&failure, options);
	}
	session_end(&session);
	return status;
}
