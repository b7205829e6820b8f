/* check.c: egressfw check: validate a policy, print it in its normal form, decide targets. */
#include "cmd/session.h"

#include "base/memory.h"
#include "base/text.h"
#include "plan/plan.h"
#include "policy/decide.h"
#include "policy/port_note.h"
#include "policy/url.h"
#include "system/filter_process.h"
#include "system/resolver_config.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct judged {
	const char *text;
	bool readable;
	struct decision decision; /* of what is readable */
	struct err why;           /* of what is not */
};

enum { REFUSALS_MAX = 4, NOTES_MAX = 2 };

struct check {
	struct session session;
	struct judged *judged;
	int count, unreadable;
	/*
	 * Why apply would refuse the policy here, as far as can be seen without privilege or names.
	 */
	struct err refusals[REFUSALS_MAX];
	size_t refusal_count;
	const char *notes[NOTES_MAX]; /* what it would do without */
	size_t note_count;
	char port_note[PORT_NOTE_SIZE];
};

/* Each target has an answer of its own, whatever is wrong with the others. */
static void judge_targets(struct check *check)
{
	for (int i = 0; i < check->count; i++) {
		struct judged *judged = &check->judged[i];
		struct target target;

		judged->text = check->session.options->arguments[i + 1];
		judged->readable = target_parse(judged->text, &target, &judged->why);
		check->unreadable += !judged->readable;
		if (!judged->readable)
			continue;
		decide(&check->session.policy, &target, &judged->decision);
		target_free(&target);
	}
}

/* Of a filter that would be started as apply does without options. */
static void look_at_filter(struct check *check)
{
	struct session *session = &check->session;
	struct failure failure;
	struct err err;

	if (!session->filtered)
		return;
	if (!session_settle_filter(session, NULL, &failure)) {
		check->refusals[check->refusal_count++] = failure.err;
		return;
	}
	if (!filter_program_check(session->filter.program, &err))
		check->refusals[check->refusal_count++] = err;
	if (!session->filter.nameservers.count)
		check->notes[check->note_count++] =
			"/etc/resolv.conf has no nameserver that the filter could ask: it would "
			"refuse every name";
}

/* The names of a policy that pins are looked up by apply alone, here is nobody asked. */
static void look_at_nameservers(struct check *check)
{
	struct nameservers servers;
	const char **names;
	size_t count;
	struct err ignored;

	if (!policy_names(&check->session.policy, &names, &count, &ignored))
		return;
	free(names);
	if (count && nameservers_read("/etc/resolv.conf", &servers, &ignored) && !servers.count)
		check->notes[check->note_count++] =
			"/etc/resolv.conf has no nameserver that can be used: apply would find no "
			"address of the names, and end with 4";
}

static void find_refusals(struct check *check)
{
	struct session *session = &check->session;
	struct failure failure;
	struct err err;

	if (!session_check_enforceable(session, &failure))
		check->refusals[check->refusal_count++] = failure.err;
	/* With --user they were found before, or that was an error. */
	if (!session->options->users.count && !session_find_users(session, &failure))
		check->refusals[check->refusal_count++] = failure.err;
	if (session->policy.mode != MODE_PUBLIC &&
	    !plan_check_canary(&session->policy, NULL, &err)) {
		err_wrap(&err, "%s", session->policy_name);
		check->refusals[check->refusal_count++] = err;
	}
	look_at_filter(check);
	look_at_nameservers(check);
	if (policy_port_note(&session->policy, check->port_note))
		check->notes[check->note_count++] = check->port_note;
}

/* Arguments and what a message repeats of them may hold what would steer a terminal. */
static void print_safely(const char *text)
{
	for (; *text; text++)
		putchar((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void print_judged(const struct judged *judged)
{
	printf("%-7s ", judged->readable ? verdict_name(judged->decision.verdict) : "invalid");
	print_safely(judged->text);
	if (judged->readable) {
		printf("  (%s; %s; by the %s layer)\n", judged->decision.rule,
		       judged->decision.reason, layer_name(judged->decision.layer));
	} else {
		fputs("  (", stdout);
		print_safely(judged->why.text);
		puts(")");
	}
}

static void print_text(const struct check *check)
{
	struct buffer policy = { 0 };

	if (!check->count)
		policy_print(&check->session.policy, &policy);
	fwrite(policy.data, 1, policy.length, stdout);
	buffer_free(&policy);
	for (int i = 0; i < check->count; i++)
		print_judged(&check->judged[i]);
	for (size_t i = 0; i < check->refusal_count; i++) {
		fputs("note: apply would refuse this policy: ", stdout);
		print_safely(check->refusals[i].text);
		putchar('\n');
	}
	for (size_t i = 0; i < check->note_count; i++)
		printf("note: %s\n", check->notes[i]);
}

/* A JSON string of any bytes. */
static json_t *string(const char *text)
{
	struct buffer quoted = { 0 };
	json_t *value;

	text_print_json(text, &quoted);
	value = json_loadb((const char *)quoted.data, quoted.length, JSON_DECODE_ANY, NULL);
	buffer_free(&quoted);
	if (!value)
		memory_exhausted();
	return value;
}

static json_t *judged_json(const struct judged *judged)
{
	const struct decision *decision = &judged->decision;

	if (!judged->readable)
		return json_pack("{s:o, s:n, s:n, s:n, s:o}", "target", string(judged->text),
				 "decision", "rule", "layer", "reason", string(judged->why.text));
	return json_pack("{s:o, s:s, s:s, s:s, s:s}", "target", string(judged->text), "decision",
			 verdict_name(decision->verdict), "rule", decision->rule, "layer",
			 layer_name(decision->layer), "reason", decision->reason);
}

static void print_json(const struct check *check, int status)
{
	json_t *decisions = json_array(), *refusals = json_array(), *notes = json_array(), *object;
	struct buffer policy = { 0 };

	for (int i = 0; i < check->count; i++)
		if (json_array_append_new(decisions, judged_json(&check->judged[i])))
			memory_exhausted();
	for (size_t i = 0; i < check->refusal_count; i++)
		if (json_array_append_new(refusals, string(check->refusals[i].text)))
			memory_exhausted();
	for (size_t i = 0; i < check->note_count; i++)
		if (json_array_append_new(notes, string(check->notes[i])))
			memory_exhausted();
	policy_print(&check->session.policy, &policy);
	object = json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "command", "check", "exit_status",
			   status, "policy",
			   json_loadb((const char *)policy.data, policy.length, 0, NULL),
			   "decisions", decisions, "refusals", refusals, "notes", notes);
	buffer_free(&policy);
	if (!object)
		memory_exhausted();
	json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(object);
}

/* The first target that could not be read, for standard error. */
static void say_unreadable(const struct check *check)
{
	struct failure failure = { 0 };
	const struct judged *first = check->judged;

	while (first->readable)
		first++;
	err_set(&failure.err, "%d of %d targets cannot be read, the first: %s", check->unreadable,
		check->count, first->why.text);
	failure_set(&failure, EXIT_USAGE, NOTHING_CHANGED);
	failure_say(&failure, check->session.options);
}

/* A question that could not be read counts above an answer of no; a refusal of apply is none. */
static int exit_status(const struct check *check)
{
	if (check->unreadable)
		return EXIT_USAGE;
	for (int i = 0; i < check->count; i++)
		if (check->judged[i].decision.verdict == VERDICT_BLOCK)
			return EXIT_NO;
	return EXIT_DONE;
}

static int answer(struct check *check)
{
	const struct options *options = check->session.options;
	int status;

	judge_targets(check);
	find_refusals(check);
	/* As it was decided, which is what a report says too. */
	if (check->session.policy.mode != MODE_PUBLIC)
		check->session.policy.enforcement = policy_enforcement(&check->session.policy);
	status = exit_status(check);
	if (options->json)
		print_json(check, status);
	else if (!options->quiet)
		print_text(check);
	if (check->unreadable)
		say_unreadable(check);
	return status;
}

int cmd_check(const struct options *options)
{
	struct check check = { .session = { .options = options },
			       .count = options->argument_count - 1 };
	struct failure failure;
	int status;

	check.judged = memory_allocate((size_t)check.count, sizeof(*check.judged));
	status = session_begin(options, &check.session, &failure) &&
				 session_read_policy(&check.session, options->arguments[0],
						     &failure) &&
				 (!options->users.count ||
				  session_find_users(&check.session, &failure))
			 ? answer(&check)
			 : failure_print(&failure, options);
	free(check.judged);
	session_end(&check.session);
	return status;
}
