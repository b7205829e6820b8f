/* option_rows.c: every option, a row each, and how its value is read. */
#include "cmd/option_rows.h"

#include "base/memory.h"
#include "base/text.h"
#include "plan/filter_plan.h"
#include "plan/plan.h"
#include "system/state.h"

#include <stddef.h>
#include <string.h>

enum { TIMEOUT_MAX_S = 3600 };

static void *member_of(const struct reading *reading)
{
	return (char *)reading->options + reading->row->member;
}

static bool take_flag(struct reading *reading)
{
	return *(bool *)member_of(reading) = true;
}

static bool take_word(struct reading *reading)
{
	*(const char **)member_of(reading) = reading->value;
	return true;
}

static bool read_number(const char *text, uint32_t most, uint32_t *ret)
{
	uint32_t number;

	if (!text_number(text, strlen(text), &number) || number < 1 || number > most)
		return false;
	*ret = number;
	return true;
}

static bool take_user(struct reading *reading)
{
	struct user_specs *users = &reading->options->users;
	struct user_spec spec;

	if (!user_spec_parse(reading->value, &spec, reading->err))
		return false;
	users->items = memory_resize(users->items, users->count + 1, sizeof(*users->items));
	users->items[users->count++] = spec;
	return true;
}

static bool take_name(struct reading *reading)
{
	if (!plan_instance_is_valid(reading->value)) {
		err_set(reading->err,
			"\"%.64s\" is no instance name: 1 to %d letters, digits and hyphens, not "
			"beginning with a hyphen",
			reading->value, INSTANCE_NAME_MAX);
		return false;
	}
	reading->options->instance = reading->value;
	return true;
}

static bool take_hosts_file(struct reading *reading)
{
	reading->options->hosts_file = reading->value;
	return reading->options->hosts_given = true;
}

static bool take_state_directory(struct reading *reading)
{
	reading->options->state_directory = reading->value;
	reading->options->state_given = true;
	return true;
}

static bool take_backend(struct reading *reading)
{
	static const char *const names[] = {
		[BACKEND_AUTO] = "auto", [BACKEND_NFT] = "nft", [BACKEND_XT] = "xt"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(reading->value, names[i])) {
			reading->options->backend = (enum backend)i;
			return true;
		}
	err_set(reading->err, "\"%.64s\" is no back end: auto, nft or xt", reading->value);
	return false;
}

static bool take_format(struct reading *reading)
{
	static const char *const names[] = {
		[FORMAT_NFT] = "nft", [FORMAT_CIDR_LIST] = "cidr-list"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(reading->value, names[i])) {
			reading->options->format = (enum plan_format)i;
			return true;
		}
	err_set(reading->err, "\"%.64s\" is no format: nft or cidr-list", reading->value);
	return false;
}

static bool take_timeout(struct reading *reading)
{
	uint32_t seconds;

	if (!read_number(reading->value, TIMEOUT_MAX_S, &seconds)) {
		err_set(reading->err, "\"%.64s\" is no time: whole seconds from 1 to %d",
			reading->value, TIMEOUT_MAX_S);
		return false;
	}
	reading->options->timeout_ms = reading->options->probe_timeout_ms = seconds * 1000;
	return true;
}

static void add_word(struct words *words, const char *word)
{
	words->items = memory_resize(words->items, words->count + 1, sizeof(*words->items));
	words->items[words->count++] = word;
}

static bool take_env(struct reading *reading)
{
	const char *equals = strchr(reading->value, '=');

	if (!equals || equals == reading->value) {
		err_set(reading->err, "\"%.64s\" is not NAME=VALUE", reading->value);
		return false;
	}
	add_word(&reading->options->env, reading->value);
	return true;
}

static bool take_keep_env(struct reading *reading)
{
	add_word(&reading->options->keep_env, reading->value);
	return true;
}

static bool take_filter_user(struct reading *reading)
{
	struct user_spec spec;
	bool one;

	if (!filter_user_parse(reading->value, &spec, reading->err))
		return false;
	one = spec.name || spec.range.first == spec.range.last;
	if (!one)
		err_set(reading->err, "\"%.64s\" is not one user", reading->value);
	user_spec_free(&spec);
	reading->options->filter_user = reading->value;
	return one;
}

static bool take_filter_listen(struct reading *reading)
{
	struct address_ports *list = &reading->options->filter_listen;
	struct address_port listen;

	if (text_is_letter(*reading->value)) {
		err_set(reading->err,
			"\"%.64s\" is no address of loopback with a port; expected "
			"\"127.0.0.1:3128\" or \"[::1]:3128\"",
			reading->value);
		return false;
	}
	if (!address_port_parse(reading->value, &listen, reading->err) ||
	    !filter_listen_check(&listen, reading->err))
		return false;
	if (address_ports_have(list, &listen)) {
		err_set(reading->err, "%.64s is given twice; say it once", reading->value);
		return false;
	}
	if (list->count == FILTER_LISTEN_MAX) {
		err_set(reading->err, "more than %d of them", FILTER_LISTEN_MAX);
		return false;
	}
	list->items = memory_resize(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = listen;
	return true;
}

/* The filter starts in another directory, and what is said to it is kept. */
static bool take_path(struct reading *reading)
{
	if (*reading->value != '/' || strlen(reading->value) > FILTER_PATH_MAX) {
		err_set(reading->err, "\"%.64s\" is no absolute path of at most %d bytes",
			reading->value, FILTER_PATH_MAX);
		return false;
	}
	return take_word(reading);
}

static bool take_filter_log_files(struct reading *reading)
{
	if (read_number(reading->value, FILTER_LOG_FILES_MAX, &reading->options->filter_log_files))
		return true;
	err_set(reading->err, "\"%.64s\" is no number of files from 1 to %d", reading->value,
		FILTER_LOG_FILES_MAX);
	return false;
}

static bool take_filter_log_full(struct reading *reading)
{
	for (enum log_full full = LOG_FULL_DROP; full < LOG_FULL_WORDS; full++)
		if (!strcmp(reading->value, log_full_name(full))) {
			reading->options->filter_log_full = full;
			return reading->options->filter_log_full_given = true;
		}
	err_set(reading->err, "\"%.64s\" is neither drop nor refuse", reading->value);
	return false;
}

static bool take_filter_denial(struct reading *reading)
{
	for (enum denial denial = DENIAL_PLAIN; denial < DENIALS; denial++)
		if (!strcmp(reading->value, denial_name(denial))) {
			reading->options->filter_denial = denial;
			return reading->options->filter_denial_given = true;
		}
	err_set(reading->err, "\"%.64s\" is neither plain nor hidden", reading->value);
	return false;
}

/* What does nothing but fill one member; a member of another type does not compile. */
#define MEMBER(type, name)                                                                         \
	_Generic(((struct options *)NULL)->name, type : offsetof(struct options, name))
#define FLAG(name) take_flag, MEMBER(bool, name)
#define TEXT(take, name) take, MEMBER(const char *, name)
#define CALL(take) take, 0

static const struct option_row rows[] = {
	{ "--user", "USER", OPTION_USER, CALL(take_user),
	  "a confined user, uid or FIRST-LAST; repeatable" },
	{ "--name", "NAME", OPTION_NAME, CALL(take_name), "the instance: table egressfw-NAME" },
	{ "--hosts-file", "FILE", OPTION_HOSTS | OPTION_HOSTS_COMPARED | OPTION_HOSTS_CHECKED,
	  CALL(take_hosts_file), "instead of /etc/hosts, or of what apply was given" },
	{ "--no-hosts", NULL, OPTION_HOSTS, FLAG(no_hosts), "leave the hosts file alone" },
	{ "--no-hosts", NULL, OPTION_HOSTS_COMPARED, FLAG(no_hosts),
	  "do not compare the hosts file" },
	{ "--no-hosts", NULL, OPTION_HOSTS_CHECKED, FLAG(no_hosts),
	  "names are not pinned there: do not check the hosts file and nsswitch.conf" },
	{ "--state-dir", "DIR", OPTION_STATE, CALL(take_state_directory),
	  "instead of " STATE_DIRECTORY },
	{ "--backend", "auto|nft|xt", OPTION_BACKEND, CALL(take_backend),
	  "how the kernel is spoken to" },
	{ "--no-canary", NULL, OPTION_NO_CANARY, FLAG(no_canary),
	  "do not probe as the confined users" },
	{ "--control", NULL, OPTION_CONTROL, FLAG(control), "probe as the unconfined caller too" },
	{ "--allow-host-network", NULL, OPTION_HOST_NETWORK, FLAG(allow_host_network),
	  "work in the initial network namespace" },
	{ "--cwd", "DIR", OPTION_PROGRAM, TEXT(take_word, cwd),
	  "where CMD starts; else where this did" },
	{ "--env", "NAME=VALUE", OPTION_PROGRAM, CALL(take_env), "a variable for CMD; repeatable" },
	{ "--keep-env", "PATTERN", OPTION_PROGRAM, CALL(take_keep_env),
	  "hand variables on whose names match, as LC_* or *; repeatable" },
	{ "--init", NULL, OPTION_PROGRAM, FLAG(init),
	  "stay, as an init does: reap, pass signals on" },
	{ "--allow-io-uring", NULL, OPTION_PROGRAM, FLAG(allow_io_uring),
	  "do not refuse io_uring to CMD" },
	{ "--format", "nft|cidr-list", OPTION_FORMAT, CALL(take_format),
	  "as rules, or as a list of IPv4 prefixes" },
	{ "--filter-user", "USER", OPTION_FILTER, CALL(take_filter_user),
	  "as whom the filter runs; else " FILTER_USER_NAME },
	{ "--filter-listen", "ADDRESS:PORT", OPTION_LISTEN, CALL(take_filter_listen),
	  "where on loopback the filter listens; repeatable" },
	{ "--filter-log", "FILE", OPTION_FILTER, TEXT(take_path, filter_log),
	  "the filter's decision log; else in " FILTER_LOG_DIRECTORY },
	{ "--filter-log-files", "N", OPTION_FILTER, CALL(take_filter_log_files),
	  "how many older files of it are kept, 1 to 99" },
	{ "--filter-log-full", "drop|refuse", OPTION_FILTER, CALL(take_filter_log_full),
	  "when they are full: the oldest goes, or everything is refused" },
	{ "--filter-denial", "plain|hidden", OPTION_FILTER, CALL(take_filter_denial),
	  "a denial says that it is one, or looks like a page that is not there" },
	{ "--filter-program", "FILE", OPTION_FILTER, TEXT(take_path, filter_program),
	  "instead of egressfilter beside this program" },
	{ "--no-filter-start", NULL, OPTION_FILTER, FLAG(no_filter_start),
	  "somebody else starts the filter, with our settings" },
	{ "--summary", NULL, OPTION_SUMMARY, FLAG(summary),
	  "a table of what FILEs, or the filter's log, have" },
	{ "--html", NULL, OPTION_SUMMARY, FLAG(html), "the same as one page of HTML" },
	{ "--timeout", "SECONDS", OPTION_TIMEOUT, CALL(take_timeout),
	  "the longest that any one wait may last" },
	{ "--json", NULL, OPTION_JSON, FLAG(json), "one JSON object on standard output" },
	{ "--json", NULL, OPTION_JSON_LINES, FLAG(json),
	  "with --summary: one JSON object; each line is one in any case" },
	{ "--quiet", NULL, OPTION_QUIET, FLAG(quiet), "no report" },
	{ "--help", NULL, 0, FLAG(help), "this text" },
	{ "-h", NULL, 0, FLAG(help), "the same" },
};

const struct option_row *option_row_next(const struct command *command,
					 const struct option_row *previous)
{
	const struct option_row *row = previous ? previous + 1 : rows;

	for (; row < rows + sizeof(rows) / sizeof(*rows); row++)
		if (!row->bit || (row->bit & command->takes))
			return row;
	return NULL;
}
