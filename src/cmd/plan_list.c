/* plan_list.c: egressfw plan --format cidr-list: a policy for platforms that take addresses instead of rules. */
#include "cmd/plan_list.h"

#include "base/memory.h"
#include "cmd/session.h"
#include "plan/cidr_list.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* The list is not for users: it does not matter who they are, nor whether this machine has them. */
static bool make_list(struct session *session, struct cidr_list *ret, struct failure *failure)
{
	const char *name = session->policy_name;
	const char **names;
	size_t count;

	if (session->options->users.count) {
		err_set(&failure->err, "--user: a list of prefixes holds for everybody");
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	if (!cidr_list_can_express(&session->policy, &failure->err)) {
		err_wrap(&failure->err, "%s", name);
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	}
	if (!policy_names(&session->policy, &names, &count, &failure->err)) {
		err_wrap(&failure->err, "%s", name);
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	free(names);
	if (!session_resolve(session, NOTHING_CHANGED, failure))
		return false;
	if (!cidr_list_has_addresses(&session->resolved, &failure->err)) {
		err_wrap(&failure->err, "%s", name);
		return failure_set(failure, EXIT_UNRESOLVED, NOTHING_CHANGED);
	}
	if (cidr_list_build(&session->policy, &session->resolved, ret, &failure->err))
		return true;
	err_wrap(&failure->err, "%s", name);
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* The list alone on standard output, so that it can be taken as it is. */
static void print_text(const struct cidr_list *list, struct buffer *text)
{
	for (size_t i = 0; i < list->note_count; i++)
		fprintf(stderr, "egressfw plan: note: %s\n", list->notes[i]);
	puts(buffer_string(text));
}

static void print_json(const struct cidr_list *list, struct buffer *text, struct buffer *hosts)
{
	json_t *prefixes = json_array(), *notes = json_array(), *object;

	for (size_t i = 0; i < list->count; i++) {
		char address[ADDRESS_TEXT_SIZE];
		autofree char *prefix =
			memory_format("%s/%u", address_format(&list->items[i].address, address),
				      (unsigned)list->items[i].length);

		if (json_array_append_new(prefixes, json_string(prefix)))
			memory_exhausted();
	}
	for (size_t i = 0; i < list->note_count; i++)
		if (json_array_append_new(notes, json_string(list->notes[i])))
			memory_exhausted();
	object = json_pack("{s:s, s:i, s:s, s:s, s:o, s:i, s:s, s:o}", "command", "plan",
			   "exit_status", EXIT_DONE, "format", "cidr-list", "list",
			   buffer_string(text), "prefixes", prefixes, "limit", CIDR_LIST_MAX,
			   "hosts", buffer_string(hosts), "notes", notes);
	if (!object)
		memory_exhausted();
	json_dumpf(object, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(object);
}

int plan_list(const struct options *options)
{
	struct session session = { .options = options };
	struct failure failure;
	struct buffer text = { 0 }, hosts = { 0 };
	struct cidr_list list;
	int status = EXIT_DONE;

	if (session_begin(options, &session, &failure) &&
	    session_read_policy(&session, options->arguments[0], &failure) &&
	    make_list(&session, &list, &failure)) {
		cidr_list_print(&list, &text);
		cidr_list_print_hosts(&session.resolved, &hosts);
		if (options->json)
			print_json(&list, &text, &hosts);
		else if (!options->quiet)
			print_text(&list, &text);
		buffer_free(&text);
		buffer_free(&hosts);
		cidr_list_free(&list);
	} else {
		status = failure_print(&failure, options);
	}
	session_end(&session);
	return status;
}
