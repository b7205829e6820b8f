/* egressfw.c: the table of commands. */
#include "cmd/failure.h"
#include "cmd/options.h"

#include "base/buffer.h"
#include "config.h"
#include "system/environment.h"

#include <stdio.h>
#include <string.h>

static const unsigned common = OPTION_USER | OPTION_NAME | OPTION_JSON | OPTION_QUIET;
static const unsigned machine = OPTION_HOSTS | OPTION_STATE | OPTION_BACKEND | OPTION_TIMEOUT;

static const struct command commands[] = {
	{ "check", "POLICY [URL...]", "validate a policy; decide URLs and host:port targets",
	  common, 1, -1, cmd_check },
	{ "plan", "POLICY", "print what apply would write",
	  common | OPTION_HOSTS | OPTION_TIMEOUT | OPTION_FORMAT, 1, 1, cmd_plan },
	{ "apply", "POLICY", "confine the users, prove it, give up the capability",
	  common | machine | OPTION_NO_CANARY | OPTION_CONTROL | OPTION_HOST_NETWORK, 1, 1,
	  cmd_apply },
	{ "verify", "[POLICY]", "compare kernel and hosts file with what was applied",
	  common | machine, 0, 1, cmd_verify },
	{ "canary", "[ADDRESS:PORT...]",
	  "probe as the confined users; every target must be blocked",
	  common | OPTION_STATE | OPTION_BACKEND | OPTION_TIMEOUT | OPTION_CONTROL, 0, -1,
	  cmd_canary },
	{ "run", "POLICY -- CMD...", "apply, become the user without any privilege, run CMD",
	  OPTION_USER | OPTION_NAME | OPTION_QUIET | machine | OPTION_NO_CANARY | OPTION_CONTROL |
		  OPTION_HOST_NETWORK | OPTION_PROGRAM,
	  1, 1, cmd_run },
	{ "remove", "", "take out our table and our hosts lines",
	  OPTION_NAME | OPTION_JSON | OPTION_QUIET | machine, 0, 0, cmd_remove },
	{ "doctor", "", "what can be enforced here, and what stays open; changes nothing",
	  common | OPTION_HOSTS | OPTION_STATE | OPTION_TIMEOUT, 0, 0, cmd_doctor },
	{ "log", "", "refused packets as JSON lines, until interrupted", OPTION_JSON, 0, 0,
	  cmd_log },
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static void print(FILE *stream, struct buffer *text)
{
	fwrite(text->data, 1, text->length, stream);
	buffer_free(text);
}

static void print_overview(FILE *stream)
{
	struct buffer text = { 0 };

	buffer_append_text(&text, "usage: egressfw COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (int i = 0; i < COMMANDS; i++)
		buffer_printf(&text, "  %-8s %-18s %s\n", commands[i].name, commands[i].arguments,
			      commands[i].does);
	buffer_append_text(
		&text,
		"\nPOLICY may be - (standard input). egressfw COMMAND --help lists the options.\n"
		"See egressfw(8) and egressfw-policy(5).\n");
	print(stream, &text);
}

static int fail(const struct command *command, enum exit_status status, const struct err *err)
{
	const struct options options = { .command = command->name,
					 .runs_program = command->takes & OPTION_PROGRAM };
	struct failure failure = { .err = *err };

	failure_set(&failure, status, NOTHING_CHANGED);
	failure_say(&failure, &options);
	return failure_exit_status(&failure, &options);
}

static int run(const struct command *command, int count, char **words)
{
	struct options options;
	struct buffer text = { 0 };
	struct err err;
	int status;

	if (!options_parse(command, count, words, &options, &err)) {
		return fail(command, EXIT_USAGE, &err);
	}
	if (options.help) {
		buffer_printf(&text, "usage: egressfw %s [OPTION...] %s\n%s\n\n", command->name,
			      command->arguments, command->does);
		options_print_help(command, &text);
		print(stdout, &text);
		status = EXIT_DONE;
	} else {
		status = command->run(&options);
	}
	options_free(&options);
	/* A report that did not reach its reader is no success. */
	if ((fflush(stdout) || ferror(stdout)) && status == EXIT_DONE) {
		fprintf(stderr,
			"egressfw %s: standard output cannot be written; all else is done\n",
			command->name);
		return EXIT_CLOSED;
	}
	return status;
}

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	struct err err;

	if (!environment_settle(&err) || !environment_shed_loader(argv, &err)) {
		if (command)
			return fail(command, EXIT_CANNOT, &err);
		fprintf(stderr, "egressfw: %s; " NOTHING_CHANGED "\n", err.text);
		return EXIT_CANNOT;
	}
	if (command)
		return run(command, argc - 2, argv + 2);
	if (argc < 2) {
		print_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help")) {
		print_overview(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts(PACKAGE_STRING);
		return EXIT_DONE;
	}
	fprintf(stderr,
		"egressfw: no command \"%.64s\"; see egressfw --help; " NOTHING_CHANGED "\n",
		argv[1]);
	return EXIT_USAGE;
}
