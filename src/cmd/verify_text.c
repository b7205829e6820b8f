/* verify_text.c: what a verify comes to, and what to do, in one sentence. */
#include "cmd/verify.h"

#include "base/memory.h"

#include <string.h>

static bool is_of_hosts(enum finding_kind kind)
{
	return kind >= FINDING_HOSTS_MISSING && kind <= FINDING_HOSTS_CONFLICT;
}

static bool is_of_filter(enum finding_kind kind)
{
	return kind >= FINDING_FILTER_STOPPED && kind <= FINDING_FILTER_SETTINGS;
}

static const char *part_of(enum finding_kind kind)
{
	if (is_of_hosts(kind))
		return "the hosts file";
	if (is_of_filter(kind))
		return "the filter";
	return kind == FINDING_USER_CHANGED ? "the users" : "the kernel's rules";
}

static bool is_log_alone(const struct findings *findings)
{
	bool alone = true;

	for (size_t i = 0; i < findings->count; i++)
		alone = alone && (findings->items[i].kind == FINDING_FILTER_LOG ||
				  finding_is_warning(findings->items[i].kind));
	return alone;
}

/* What differs, and what to do; the caller frees it. */
static char *difference_text(const struct findings *findings, const char *what_to_do)
{
	static const char *const parts[] = { "the kernel's rules", "the hosts file", "the filter",
					     "the users" };
	struct buffer text = { 0 };

	if (is_log_alone(findings))
		return memory_copy_string("not as planned: the filter's log; it goes on as soon as "
					  "that can be written");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		bool differs = false;

		for (size_t j = 0; j < findings->count; j++)
			differs = differs || (!finding_is_warning(findings->items[j].kind) &&
					      !strcmp(part_of(findings->items[j].kind), parts[i]));
		if (differs)
			buffer_printf(&text, "%s%s",
				      text.length ? ", " : "not as planned: ", parts[i]);
	}
	buffer_printf(&text, "; %s", what_to_do);
	return buffer_steal(&text);
}

bool verify_left_hosts_alone(const struct verify *verify)
{
	return verify->has_kept && !verify->session.has_policy && verify->kept.hosts_left;
}

/* The caller frees it. */
static char *what_to_do(const struct verify *verify)
{
	const struct state *state = verify->session.state;

	if (*verify->busy)
		return memory_format("%s is at work: verify again when it has ended", verify->busy);
	if (state && !verify->has_kept && !verify->has_wanted && !state_is_writable(state))
		return memory_copy_string("give the policy, or --state-dir");
	return memory_copy_string("apply again");
}

char *verify_state_text(const struct verify *verify, const struct reporting *reporting, bool good)
{
	autofree char *todo = what_to_do(verify);
	const char *text;

	if (reporting->table_missing)
		return memory_format("our table is missing: nobody is confined by it; %s", todo);
	if (!good && session_is_public(&verify->session))
		return memory_format("public, and something of ours is there: %s", todo);
	if (!good && !reporting->plan)
		return memory_format("no plan is kept that could be compared with: %s", todo);
	if (!good)
		return difference_text(reporting->findings, todo);
	if (session_is_public(&verify->session))
		text = "public: there is no table of ours, and nobody is confined by it";
	else if (!reporting->plan)
		text = "no plan is kept that could be compared with";
	else if (verify_left_hosts_alone(verify))
		text = "the kernel is as planned; the hosts file, which --no-hosts left alone, was "
		       "not compared";
	else
		text = verify->session.options->no_hosts
			       ? "the kernel is as planned; the hosts file was not compared"
			       : "kernel and hosts file are as planned";
	return memory_copy_string(text);
}
