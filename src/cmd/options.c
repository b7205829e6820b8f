/* options.c: the command line as a value. */
#include "cmd/options.h"

#include "base/memory.h"
#include "plan/plan.h"
#include "system/state.h"

#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_DEFAULT_MS = 10000, PROBE_TIMEOUT_DEFAULT_MS = 2000, TIMEOUT_MAX_S = 3600 };

struct reading {
	struct options *options;
	const char *value;
	struct err *err;
};

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
	return true;
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

static bool take_timeout(struct reading *reading)
{
	char *end;
	unsigned long seconds = strtoul(reading->value, &end, 10);

	if (reading->value[0] < '1' || reading->value[0] > '9' || *end || seconds > TIMEOUT_MAX_S) {
		err_set(reading->err, "\"%.64s\" is no time: whole seconds from 1 to %d",
			reading->value, TIMEOUT_MAX_S);
		return false;
	}
	reading->options->timeout_ms = (unsigned)seconds * 1000;
	reading->options->probe_timeout_ms = reading->options->timeout_ms;
	return true;
}

static bool take_json(struct reading *reading)
{
	return reading->options->json = true;
}

static bool take_quiet(struct reading *reading)
{
	return reading->options->quiet = true;
}

static bool take_no_hosts(struct reading *reading)
{
	return reading->options->no_hosts = true;
}

static bool take_no_canary(struct reading *reading)
{
	return reading->options->no_canary = true;
}

static bool take_control(struct reading *reading)
{
	return reading->options->control = true;
}

static bool take_allow_host_network(struct reading *reading)
{
	return reading->options->allow_host_network = true;
}

static bool take_help(struct reading *reading)
{
	return reading->options->help = true;
}

struct option_row {
	const char *name;
	const char *value; /* what the value is called; NULL: it takes none */
	unsigned bit;      /* 0: every command takes it */
	bool (*take)(struct reading *reading);
	const char *does;
};

static const struct option_row rows[] = {
	{ "--user", "USER", OPTION_USER, take_user,
	  "a confined user, uid or FIRST-LAST; repeatable" },
	{ "--name", "NAME", OPTION_NAME, take_name, "the instance: table egressfw-NAME" },
	{ "--hosts-file", "FILE", OPTION_HOSTS, take_hosts_file, "instead of /etc/hosts" },
	{ "--no-hosts", NULL, OPTION_HOSTS, take_no_hosts, "leave the hosts file alone" },
	{ "--state-dir", "DIR", OPTION_STATE, take_state_directory, "instead of " STATE_DIRECTORY },
	{ "--backend", "auto|nft|xt", OPTION_BACKEND, take_backend, "how the kernel is spoken to" },
	{ "--no-canary", NULL, OPTION_NO_CANARY, take_no_canary,
	  "do not probe as the confined users" },
	{ "--control", NULL, OPTION_CONTROL, take_control, "probe as the unconfined caller too" },
	{ "--allow-host-network", NULL, OPTION_HOST_NETWORK, take_allow_host_network,
	  "work in the initial network namespace" },
	{ "--timeout", "SECONDS", OPTION_TIMEOUT, take_timeout,
	  "the longest that any one wait may last" },
	{ "--json", NULL, OPTION_JSON, take_json, "one JSON object on standard output" },
	{ "--quiet", NULL, OPTION_QUIET, take_quiet, "no report" },
	{ "--help", NULL, 0, take_help, "this text" },
};

static const struct option_row *find_row(const struct command *command, const char *word,
					 size_t length)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == length && !strncmp(rows[i].name, word, length) &&
		    (!rows[i].bit || (rows[i].bit & command->takes)))
			return &rows[i];
	return NULL;
}

/* Takes the option at *index; moves *index on where its value is the next word. */
static bool take_option(const struct command *command, int count, char **words, int *index,
			struct options *options, struct err *err)
{
	const char *word = words[*index], *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *row = find_row(command, word, length);
	struct reading reading = { .options = options, .err = err };

	if (!row) {
		err_set(err, "no option \"%.*s\"; see egressfw %s --help",
			(int)(length < 64 ? length : 64), word, command->name);
		return false;
	}
	if (!row->value && equals) {
		err_set(err, "%s takes no value", row->name);
		return false;
	}
	if (row->value && !equals && *index + 1 == count) {
		err_set(err, "%s needs a value: %s", row->name, row->value);
		return false;
	}
	if (row->value)
		reading.value = equals ? equals + 1 : words[++*index];
	if (row->take(&reading))
		return true;
	err_wrap(err, "%s", row->name);
	return false;
}

static bool check_counts(const struct command *command, const struct options *options,
			 struct err *err)
{
	if (options->help || (options->argument_count >= command->least &&
			      (command->most < 0 || options->argument_count <= command->most)))
		return true;
	err_set(err, "usage: egressfw %s %s", command->name, command->arguments);
	return false;
}

bool options_parse(const struct command *command, int count, char **words, struct options *ret,
		   struct err *err)
{
	struct options options = {
		.command = command->name,
		.instance = "",
		.hosts_file = "/etc/hosts",
		.state_directory = STATE_DIRECTORY,
		.timeout_ms = TIMEOUT_DEFAULT_MS,
		.probe_timeout_ms = PROBE_TIMEOUT_DEFAULT_MS,
		.arguments = memory_allocate((size_t)count + 1, sizeof(char *)),
	};
	bool ended = false, good = true;

	for (int i = 0; i < count && good; i++) {
		if (!ended && !strcmp(words[i], "--"))
			ended = true;
		else if (!ended && words[i][0] == '-' && words[i][1])
			good = take_option(command, count, words, &i, &options, err);
		else
			options.arguments[options.argument_count++] = words[i];
	}
	if (good && check_counts(command, &options, err)) {
		*ret = options;
		return true;
	}
	options_free(&options);
	return false;
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < options->users.count; i++)
		user_spec_free(&options->users.items[i]);
	free(options->users.items);
	free(options->arguments);
}

void options_print_help(const struct command *command, struct buffer *out)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		autofree char *left =
			memory_format("%s%s%s", rows[i].name, rows[i].value ? " " : "",
				      rows[i].value ? rows[i].value : "");

		if (!rows[i].bit || (rows[i].bit & command->takes))
			buffer_printf(out, "  %-24s %s\n", left, rows[i].does);
	}
}
