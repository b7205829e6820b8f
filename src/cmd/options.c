/* options.c: the command line as a value. */
#include "cmd/options.h"

#include "base/memory.h"
#include "cmd/option_rows.h"
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
	bool program = !options->runs_program || (options->program && *options->program);

	if (options->help || (program && options->argument_count >= command->least &&
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

void options_free(struct options *options)
{
	for (size_t i = 0; i < options->users.count; i++)
		user_spec_free(&options->users.items[i]);
	free(options->users.items);
	free(options->env.items);
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
