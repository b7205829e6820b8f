/* options.c: the command line as a value. */
#include "cmd/options.h"

#include "base/memory.h"
#include "base/text.h"
#include "cmd/option_rows.h"
#include "policy/nearest.h"
#include "system/state.h"

#include <stdlib.h>
#include <string.h>

enum { TIMEOUT_DEFAULT_MS = 10000, PROBE_TIMEOUT_DEFAULT_MS = 2000 };

static const struct option_row *find_row(const struct command *command, const char *word,
					 size_t length)
{
	const struct option_row *row = NULL;

	while ((row = option_row_next(command, row)))
		if (strlen(row->name) == length && !strncmp(row->name, word, length))
			return row;
	return NULL;
}

enum { OPTIONS_MAX = 32 };

static const char *nearest_option(const struct command *command, const char *word)
{
	const char *names[OPTIONS_MAX];
	const struct option_row *row = NULL;
	size_t count = 0;

	while (count < OPTIONS_MAX && (row = option_row_next(command, row)))
		names[count++] = row->name;
	return nearest(word, names, count);
}

static void refuse_option(const struct command *command, const char *word, size_t length,
			  struct err *err)
{
	autofree char *name = memory_format("%.*s", (int)length, word);
	const char *stray = text_stray_blank(word), *meant = nearest_option(command, name);
	char quoted[TEXT_QUOTE_SIZE];

	err_set(err, "no option %s", text_quote(name, quoted));
	if (stray)
		err_append(err, ", which %s", stray);
	err_append(err, "; ");
	if (meant)
		err_append(err, "did you mean \"%s\"? ", meant);
	err_append(err, "see egressfw %s --help", command->name);
}

/* Takes the option at *index; moves *index on where its value is the next word. */
static bool take_option(const struct command *command, int count, char **words, int *index,
			struct options *options, struct err *err)
{
	const char *word = words[*index], *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *row = find_row(command, word, length);
	struct reading reading = { .row = row, .options = options, .err = err };

	if (!row) {
		refuse_option(command, word, length, err);
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
	if (reading.value && !*reading.value) {
		err_set(err, "%s: the value is empty; it takes %s", row->name, row->value);
		return false;
	}
	if (row->take(&reading))
		return true;
	err_wrap(err, "%s", row->name);
	if (reading.value && text_stray_blank(reading.value))
		err_append(err, "; the value %s", text_stray_blank(reading.value));
	return false;
}

static bool check_counts(const struct command *command, const struct options *options,
			 struct err *err)
{
	int count = options->argument_count;
	const char *surplus, *stray;
	char quoted[TEXT_QUOTE_SIZE];

	if (options->help)
		return true;
	if (count < command->least) {
		err_set(err, "%.*s is missing", (int)strcspn(command->arguments, " "),
			command->arguments);
	} else if (options->runs_program && !options->program) {
		err_set(err, "there is no \"--\" before the program");
	} else if (options->runs_program && !*options->program) {
		err_set(err, "there is no program behind \"--\"");
	} else if (command->most >= 0 && count > command->most) {
		surplus = options->arguments[command->most];
		stray = text_stray_blank(surplus);
		err_set(err, "%s is one argument too many%s%s", text_quote(surplus, quoted),
			stray ? ": it " : "", stray ? stray : "");
	} else {
		return true;
	}
	err_append(err, "; usage: egressfw %s%s%s", command->name, *command->arguments ? " " : "",
		   command->arguments);
	return false;
}

bool options_parse(const struct command *command, int count, char **words, struct options *ret,
		   struct err *err)
{
	struct options options = {
		.command = command->name,
		.reports = command->takes & OPTION_REPORT,
		.changes_nothing = command->takes & OPTION_CHANGES_NOTHING,
		.runs_program = command->takes & OPTION_PROGRAM,
		.instance = "",
		.hosts_file = "/etc/hosts",
		.state_directory = STATE_DIRECTORY,
		.timeout_ms = TIMEOUT_DEFAULT_MS,
		.probe_timeout_ms = PROBE_TIMEOUT_DEFAULT_MS,
		.arguments = memory_allocate((size_t)count + 1, sizeof(char *)),
	};
	bool ended = false, good = true;

	for (int i = 0; i < count && good && !options.program; i++) {
		if (options.runs_program && !strcmp(words[i], "--"))
			options.program = words + i + 1;
		else if (!ended && !strcmp(words[i], "--"))
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

bool options_want_json(const struct command *command, int count, char **words)
{
	if (!(command->takes & OPTION_JSON))
		return false;
	for (int i = 0; i < count && strcmp(words[i], "--"); i++)
		if (!strcmp(words[i], "--json"))
			return true;
	return false;
}

void options_free(struct options *options)
{
	for (size_t i = 0; i < options->users.count; i++)
		user_spec_free(&options->users.items[i]);
	free(options->users.items);
	free(options->env.items);
	free(options->filter_listen.items);
	free(options->keep_env.items);
	free(options->arguments);
}

void options_print_help(const struct command *command, struct buffer *out)
{
	const struct option_row *row = NULL;

	while ((row = option_row_next(command, row))) {
		autofree char *left = memory_format("%s%s%s", row->name, row->value ? " " : "",
						    row->value ? row->value : "");

		buffer_printf(out, "  %-24s %s\n", left, row->does);
	}
}
