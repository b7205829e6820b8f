/* egressfw.c: the table of commands. */
#include "cmd/failure.h"
#include "cmd/options.h"
#include "cmd/usage.h"

#include "config.h"
#include "system/environment.h"

#include <stdio.h>
#include <string.h>

static const unsigned common = OPTION_USER | OPTION_NAME | OPTION_JSON | OPTION_QUIET;
static const unsigned machine = OPTION_STATE | OPTION_BACKEND | OPTION_TIMEOUT;
static const unsigned filter = OPTION_FILTER | OPTION_LISTEN;

static const struct command commands[] = {
	{ "check", "POLICY [URL...]", "validate a policy; decide URLs and host:port targets",
	  common | OPTION_CHANGES_NOTHING, 1, -1, cmd_check },
	{ "plan", "POLICY", "print what apply would write",
	  common | OPTION_HOSTS | OPTION_BACKEND | OPTION_TIMEOUT | OPTION_FORMAT | filter |
		  OPTION_CHANGES_NOTHING,
	  1, 1, cmd_plan },
	{ "apply", "POLICY", "confine the users, prove it, give up the capability",
	  common | machine | filter | OPTION_HOSTS | OPTION_NO_CANARY | OPTION_CONTROL |
		  OPTION_HOST_NETWORK | OPTION_REPORT,
	  1, 1, cmd_apply },
	{ "verify", "[POLICY]", "compare kernel and hosts file with what was applied",
	  common | machine | filter | OPTION_HOSTS_COMPARED | OPTION_REPORT |
		  OPTION_CHANGES_NOTHING,
	  0, 1, cmd_verify },
	{ "canary", "[ADDRESS:PORT...]",
	  "probe as the confined users; every target must be blocked",
	  common | machine | OPTION_CONTROL | OPTION_REPORT | OPTION_CHANGES_NOTHING, 0, -1,
	  cmd_canary },
	{ "run", "POLICY -- CMD...", "apply, become the user without any privilege, run CMD",
	  OPTION_USER | OPTION_NAME | OPTION_QUIET | machine | OPTION_HOSTS | OPTION_NO_CANARY |
		  OPTION_CONTROL | OPTION_HOST_NETWORK | OPTION_PROGRAM | filter,
	  1, 1, cmd_run },
	{ "env", "POLICY", "print, for a shell, the variables that run sets for the filter",
	  OPTION_LISTEN | OPTION_QUIET | OPTION_CHANGES_NOTHING, 1, 1, cmd_env },
	{ "remove", "", "take out our table and our hosts lines",
	  OPTION_NAME | OPTION_JSON | OPTION_QUIET | machine | OPTION_HOSTS | OPTION_REPORT, 0, 0,
	  cmd_remove },
	{ "doctor", "", "what can be enforced here, and what stays open; changes nothing",
	  common | OPTION_HOSTS_CHECKED | OPTION_STATE | OPTION_TIMEOUT | OPTION_CHANGES_NOTHING, 0,
	  0, cmd_doctor },
	{ "log", "[FILE...]", "refused packets as JSON lines; or decision logs summed up",
	  OPTION_NAME | OPTION_STATE | OPTION_JSON_LINES | OPTION_SUMMARY | OPTION_CHANGES_NOTHING,
	  0, -1, cmd_log },
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands) };
/* What a message is about that is about no command. */
static const struct command none = { .name = "" };

/* A report that did not reach its reader is no success. */
static int finish(const char *command, int status)
{
	if ((!fflush(stdout) && !ferror(stdout)) || status != EXIT_DONE)
		return status;
	fprintf(stderr, "egressfw %s: standard output cannot be written; all else is done\n",
		command);
	return EXIT_CLOSED;
}

static int fail(const struct command *command, int count, char **words, enum exit_status status,
		const struct err *err)
{
	const struct options options = {
		.command = command->name,
		.instance = "",
		.json = options_want_json(command, count, words),
		.reports = command->takes & OPTION_REPORT,
		.changes_nothing = command->takes & OPTION_CHANGES_NOTHING,
		.runs_program = command->takes & OPTION_PROGRAM,
	};
	struct failure failure = { .err = *err };

	failure_set(&failure, status, NOTHING_CHANGED);
	failure_print(&failure, &options);
	return failure_exit_status(&failure, &options);
}

static int run(const struct command *command, int count, char **words)
{
	struct options options;
	struct err err;
	int status = EXIT_DONE;

	if (!options_parse(command, count, words, &options, &err))
		return fail(command, count, words, EXIT_USAGE, &err);
	if (options.help)
		usage_print(command, stdout);
	else
		status = command->run(&options);
	options_free(&options);
	return finish(command->name, status);
}

static const struct command *find_command(const char *name)
{
	for (int i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

static int refuse_command(const char *word)
{
	struct err err;

	usage_refuse(commands, COMMANDS, word, &err);
	return fail(&none, 0, NULL, EXIT_USAGE, &err);
}

/* "help", "help COMMAND", and what else people type to be told what there is. */
static int help(int count, char **words)
{
	const struct command *command = count ? find_command(words[0]) : NULL;

	if (count && !command)
		return refuse_command(words[0]);
	if (command)
		usage_print(command, stdout);
	else
		usage_print_overview(commands, COMMANDS, stdout);
	return finish("help", EXIT_DONE);
}

int main(int argc, char **argv)
{
	const struct command *command = argc > 1 ? find_command(argv[1]) : NULL;
	struct err err;

	if (!environment_settle(&err) || !environment_shed_loader(argv, &err))
		return fail(command ? command : &none, command ? argc - 2 : 0, argv + 2,
			    EXIT_CANNOT, &err);
	if (command)
		return run(command, argc - 2, argv + 2);
	if (argc < 2) {
		usage_print_overview(commands, COMMANDS, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc - 2, argv + 2);
	if (!strcmp(argv[1], "--version")) {
		puts(PACKAGE_STRING);
		return finish("--version", EXIT_DONE);
	}
	return refuse_command(argv[1]);
}
