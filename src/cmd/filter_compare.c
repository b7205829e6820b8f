/* filter_compare.c: whether the filter that is running is the one that was planned. */
#include "cmd/filter_run.h"

#include "base/memory.h"
#include "cmd/filter_plans.h"
#include "cmd/filter_settings.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(struct findings *findings, enum finding_kind kind, const char *object, char *detail)
{
	findings_add(findings, kind, memory_copy_string(object), detail);
}

static bool compare_settings(struct session *session, const struct filter_plan *filter,
			     const struct policy *policy, struct findings *findings,
			     struct err *err)
{
	struct buffer found = { 0 }, wanted = { 0 };
	char digest[FILTER_DIGEST_SIZE];
	bool present = false;

	if (!session->state)
		return true;
	if (!state_read(session->state, STATE_SETTINGS, &found, &present, err))
		return false;
	filter_settings_digest(&found, digest);
	if (policy)
		filter_settings_print(policy, filter, &wanted);
	if (!present)
		add(findings, FINDING_FILTER_SETTINGS, "settings of the filter",
		    memory_copy_string("wanted: a file of them, found: none"));
	else if (policy ? found.length != wanted.length ||
				  memcmp(found.data, wanted.data, wanted.length)
			: strcmp(digest, filter->settings) != 0)
		add(findings, FINDING_FILTER_SETTINGS, "settings of the filter",
		    memory_format("wanted: those of the %s, found: other ones",
				  policy ? "policy" : "last apply"));
	buffer_free(&found);
	buffer_free(&wanted);
	return true;
}

static bool compare_process(struct session *session, const struct filter_plan *filter,
			    struct findings *findings, struct err *err)
{
	struct filter_process process;
	bool alive;

	if (!filter->start || !session->state)
		return true;
	if (!filter_find(session, &process, &alive, err))
		return false;
	if (!alive)
		add(findings, FINDING_FILTER_STOPPED, "filter",
		    memory_copy_string("wanted: running, found: not running; the confined users "
				       "reach nothing through it"));
	else if (strcmp(process.settings, filter->settings) != 0)
		add(findings, FINDING_FILTER_SETTINGS, "filter",
		    memory_copy_string("wanted: the planned settings, found: it was started with "
				       "other ones"));
	return true;
}

/* The rules let root and the confined users connect to it: a caller who is neither cannot ask. */
void filter_compare_answer(const struct session *session, const struct filter_plan *filter,
			   struct findings *findings)
{
	struct err err;
	bool good = filter_check_listeners(filter, &err), root = geteuid() == 0, unlogged = false;

	for (size_t i = 0; good && root && i < filter->listen.count; i++)
		good = filter_ask(&filter->listen.items[i], 0, session->options->probe_timeout_ms,
				  &unlogged, &err);
	if (!good)
		add(findings, unlogged ? FINDING_FILTER_LOG : FINDING_FILTER_SILENT, "filter",
		    memory_format("wanted: an answer where it listens, found: %s", err.text));
	else if (!root)
		add(findings, FINDING_FILTER_UNASKED, "filter",
		    memory_format("listens, and was not asked: it serves root and the confined "
				  "users, and uid %u is neither",
				  (unsigned)geteuid()));
}

static void append_servers(const struct address_ports *servers, struct buffer *out)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < servers->count; i++)
		buffer_printf(out, "%s%s", i ? ", " : "",
			      address_format(&servers->items[i].address, text));
	if (!servers->count)
		buffer_append_text(out, "none");
}

static bool are_equal(const struct address_ports *one, const struct address_ports *other)
{
	for (size_t i = 0; one->count == other->count && i < one->count; i++)
		if (!address_ports_have(other, &one->items[i]))
			return false;
	return one->count == other->count;
}

void filter_compare_nameservers(const struct filter_plan *filter, struct findings *findings)
{
	struct address_ports now = { .items = NULL };
	struct buffer text = { 0 };
	struct err ignored;

	if (session_find_nameservers(&now, &ignored) && !are_equal(&filter->nameservers, &now)) {
		buffer_append_text(&text, "asks for names at ");
		append_servers(&filter->nameservers, &text);
		buffer_append_text(&text, ", and /etc/resolv.conf names by now ");
		append_servers(&now, &text);
		buffer_append_text(&text, ": apply again, or names are asked of the former ones");
		add(findings, FINDING_FILTER_NAMESERVERS, "filter", buffer_steal(&text));
	}
	free(now.items);
}

bool filter_compare(struct session *session, const struct filter_plan *filter,
		    const struct policy *policy, struct findings *findings, struct err *err)
{
	if (!compare_process(session, filter, findings, err) ||
	    !compare_settings(session, filter, policy, findings, err))
		return false;
	filter_compare_answer(session, filter, findings);
	return true;
}
