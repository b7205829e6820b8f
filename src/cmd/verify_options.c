/* verify_options.c: what the command line of a verify says about what was applied. */
#include "cmd/verify_options.h"

#include "base/memory.h"
#include "system/users.h"

#include <inttypes.h>
#include <string.h>

/* As it was written; the caller frees it. */
static char *spec_text(const struct user_spec *spec)
{
	if (spec->name)
		return memory_format("\"%.64s\"", spec->name);
	return spec->range.first == spec->range.last
		       ? memory_format("uid %" PRIu32, spec->range.first)
		       : memory_format("uid %" PRIu32 "-%" PRIu32, spec->range.first,
				       spec->range.last);
}

static bool find_user(const struct user_spec *spec, const char *option, struct range *ret,
		      struct failure *failure)
{
	struct range range = spec->range;
	bool found;
	uid_t uid;

	if (spec->name) {
		if (!users_find(spec, option, NULL, &uid, &found, &failure->err))
			return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
		if (!found) {
			err_set(&failure->err, "%s: there is no user \"%.64s\" in /etc/passwd",
				option, spec->name);
			return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
		}
		range = (struct range){ uid, uid };
	}
	*ret = range;
	return true;
}

static bool check_user(const struct user_spec *spec, const struct rangeset *confined,
		       const char *whose, struct failure *failure)
{
	struct rangeset uids = { 0 };
	struct range range;
	bool good;

	if (!find_user(spec, "--user", &range, failure))
		return false;
	if (!confined)
		return true;
	rangeset_add(&uids, range.first, range.last);
	good = rangeset_covers(confined, &uids);
	rangeset_free(&uids);
	if (good)
		return true;
	autofree char *text = spec_text(spec);

	err_set(&failure->err, "--user: %s is not among those whom %s confines", text, whose);
	return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
}

bool verify_check_users(const struct options *options, const struct rangeset *confined,
			const char *whose, struct failure *failure)
{
	for (size_t i = 0; i < options->users.count; i++)
		if (!check_user(&options->users.items[i], confined, whose, failure))
			return false;
	return true;
}

/* The first option of the filter that was given; NULL: none. */
static const char *given_option(const struct options *options)
{
	const struct {
		const char *name;
		bool given;
	} all[] = {
		{ "--filter-user", options->filter_user },
		{ "--filter-listen", options->filter_listen.count },
		{ "--filter-log", options->filter_log },
		{ "--filter-log-files", options->filter_log_files },
		{ "--filter-log-full", options->filter_log_full_given },
		{ "--filter-denial", options->filter_denial_given },
		{ "--filter-program", options->filter_program },
		{ "--no-filter-start", options->no_filter_start },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

static void compare(const char *option, const char *wanted, const char *found,
		    struct findings *findings)
{
	if (strcmp(wanted, found))
		findings_add(findings, FINDING_FILTER_SETTINGS, memory_copy_string(option),
			     memory_format("wanted: %s, found in the plan: %s", wanted, found));
}

static void compare_numbers(const char *option, uint32_t wanted, uint32_t found,
			    struct findings *findings)
{
	autofree char *wanted_text = memory_format("%" PRIu32, wanted);
	autofree char *found_text = memory_format("%" PRIu32, found);

	compare(option, wanted_text, found_text, findings);
}

/* The caller frees it. */
static char *listen_text(const struct address_ports *list)
{
	struct buffer text = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		bool brackets = list->items[i].address.family == FAMILY_IPV6;
		char address[ADDRESS_TEXT_SIZE];

		buffer_printf(&text, "%s%s%s%s:%u", i ? ", " : "", brackets ? "[" : "",
			      address_format(&list->items[i].address, address), brackets ? "]" : "",
			      list->items[i].port);
	}
	return buffer_steal(&text);
}

static bool compare_user(const char *option_value, uint32_t uid, struct findings *findings,
			 struct failure *failure)
{
	struct user_spec spec;
	struct range range;
	bool good;

	if (!user_spec_parse(option_value, &spec, &failure->err))
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	good = find_user(&spec, "--filter-user", &range, failure);
	user_spec_free(&spec);
	if (good)
		compare_numbers("--filter-user", range.first, uid, findings);
	return good;
}

static void compare_words(const struct options *options, const struct filter_plan *filter,
			  struct findings *findings)
{
	autofree char *wanted = listen_text(&options->filter_listen);
	autofree char *found = listen_text(&filter->listen);

	if (options->filter_listen.count)
		compare("--filter-listen", wanted, found, findings);
	if (options->filter_log)
		compare("--filter-log", options->filter_log, filter->log, findings);
	if (options->filter_log_files)
		compare_numbers("--filter-log-files", options->filter_log_files, filter->log_files,
				findings);
	if (options->filter_log_full_given)
		compare("--filter-log-full", log_full_name(options->filter_log_full),
			log_full_name(filter->log_full), findings);
	if (options->filter_denial_given)
		compare("--filter-denial", denial_name(options->filter_denial),
			denial_name(filter->denial), findings);
	if (options->filter_program)
		compare("--filter-program", options->filter_program, filter->program, findings);
	if (options->no_filter_start && filter->start)
		compare("--no-filter-start", "started by somebody else", "started by apply",
			findings);
}

bool verify_compare_filter_options(const struct options *options, const struct plan *kept,
				   struct findings *findings, struct failure *failure)
{
	const char *given = given_option(options);

	if (!given)
		return true;
	if (!kept) {
		err_set(&failure->err,
			"%s: no plan is kept that it could be compared with: give the policy",
			given);
		return failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	if (!kept->filtered) {
		compare(given, "a filter", "none", findings);
		return true;
	}
	compare_words(options, &kept->filter, findings);
	return !options->filter_user ||
	       compare_user(options->filter_user, kept->filter.uid, findings, failure);
}
