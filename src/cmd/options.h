/* options.h: the command line as a value. */
#ifndef EGRESSFW_CMD_OPTIONS_H
#define EGRESSFW_CMD_OPTIONS_H

#include "base/err.h"
#include "plan/denial.h"
#include "plan/log_full.h"
#include "policy/policy.h"

#include <stdbool.h>

enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1,           /* open, differs, blocked */
	EXIT_USAGE = 2,        /* usage or policy; nothing was changed */
	EXIT_CANNOT = 3,       /* cannot enforce here; nothing was changed */
	EXIT_UNRESOLVED = 4,   /* a name could not be resolved or pinned */
	EXIT_CLOSED = 5,       /* failed after the first commit; closed */
	EXIT_INCONCLUSIVE = 6, /* no proof */
	/* Of run, whose status is otherwise that of its program: */
	EXIT_NOT_RUN = 125,        /* any failure of ours; its own status is in the message */
	EXIT_NOT_EXECUTABLE = 126, /* the program was found */
	EXIT_NOT_FOUND = 127,
};

enum plan_format { FORMAT_NFT, FORMAT_CIDR_LIST };
enum backend { BACKEND_AUTO, BACKEND_NFT, BACKEND_XT };

/* Words of the command line, in order; only the array is owned. */
struct words {
	const char **items;
	size_t count;
};

struct options {
	const char *command;     /* "apply" */
	struct user_specs users; /* --user; owned */
	const char *instance;    /* --name, "" where not given */
	const char *hosts_file;
	bool hosts_given; /* --hosts-file was said */
	const char *state_directory;
	bool state_given; /* --state-dir was said: then it must work */
	enum backend backend;
	enum plan_format format;   /* --format of plan */
	unsigned timeout_ms;       /* bounds each wait: lock, kernel, all names together */
	unsigned probe_timeout_ms; /* bounds one probe */
	bool json, quiet, no_hosts, no_canary, control, allow_host_network, help;
	bool reports;         /* the command has OPTION_REPORT */
	bool changes_nothing; /* and OPTION_CHANGES_NOTHING */
	bool runs_program, init, allow_io_uring;
	struct words env, keep_env;         /* --env, --keep-env */
	const char *filter_user;            /* of the filter's options NULL: the default */
	struct address_ports filter_listen; /* owned; empty: the default */
	const char *filter_log, *filter_program;
	unsigned filter_log_files; /* 0: not given */
	bool filter_log_full_given, filter_denial_given;
	enum log_full filter_log_full;
	enum denial filter_denial;
	bool no_filter_start;
	bool summary, html; /* of log */
	const char *cwd;    /* NULL: where we are */
	char **program;     /* behind "--", up to a NULL; NULL: the command takes none */
	char **arguments;   /* what are no options, in order; the array is owned */
	int argument_count;
};

/* The bits of a command's `takes`: which options it knows. */
enum option_bit {
	OPTION_USER = 1 << 0,
	OPTION_NAME = 1 << 1,
	OPTION_HOSTS = 1 << 2, /* --hosts-file, --no-hosts, of a command that may write the file */
	OPTION_STATE = 1 << 3,
	OPTION_BACKEND = 1 << 4,
	OPTION_TIMEOUT = 1 << 5,
	OPTION_JSON = 1 << 6,
	OPTION_QUIET = 1 << 7,
	OPTION_NO_CANARY = 1 << 8,
	OPTION_CONTROL = 1 << 9,
	OPTION_HOST_NETWORK = 1 << 10,
	OPTION_PROGRAM = 1 << 11, /* runs what stands behind "--"; with the options for that */
	OPTION_FORMAT = 1 << 12,
	OPTION_HOSTS_COMPARED = 1 << 13, /* the same two, of a command that only compares it */
	OPTION_HOSTS_CHECKED = 1 << 14,  /* and of doctor */
	OPTION_JSON_LINES = 1 << 15,     /* --json, where there is nothing but JSON */
	OPTION_REPORT = 1 << 16,  /* no option: the JSON is that of contrib/report.schema.json */
	OPTION_LISTEN = 1 << 17,  /* --filter-listen */
	OPTION_FILTER = 1 << 18,  /* all others of the filter */
	OPTION_SUMMARY = 1 << 19, /* --summary, --html */
	OPTION_CHANGES_NOTHING = 1 << 20, /* no option: whatever happens, nothing is changed */
};

struct command {
	const char *name;
	const char *arguments; /* for the usage line */
	const char *does;
	unsigned takes;  /* option_bit */
	int least, most; /* arguments; most -1: any number */
	int (*run)(const struct options *options);
};

/*
 * Reads what follows the command's name. Options are matched whole, never by their beginning, stand
 * before or behind the arguments, and end at "--". No environment variable has a say in it
 * (POSIXLY_CORRECT of getopt(3) would). A command that runs a program needs the "--", and
 * leaves all that stands behind it alone.
 */
bool options_parse(const struct command *command, int count, char **words, struct options *ret,
		   struct err *err);
void options_free(struct options *options);

/* Whether the command would read "--json" among these words, however wrong the others are. */
bool options_want_json(const struct command *command, int count, char **words);

/* Appends a line per option that the command takes. */
void options_print_help(const struct command *command, struct buffer *out);

int cmd_check(const struct options *options);
int cmd_plan(const struct options *options);
int cmd_apply(const struct options *options);
int cmd_verify(const struct options *options);
int cmd_canary(const struct options *options);
int cmd_remove(const struct options *options);
int cmd_run(const struct options *options);
int cmd_doctor(const struct options *options);
int cmd_log(const struct options *options);
int cmd_env(const struct options *options);

#endif
