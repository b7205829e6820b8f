/* options.h: the command line as a value. */
#ifndef EGRESSFW_CMD_OPTIONS_H
#define EGRESSFW_CMD_OPTIONS_H

#include "base/err.h"
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
};

struct options {
	const char *command;       /* "apply" */
	struct user_specs users;   /* --user */
	const char *instance;      /* --name, "" where not given */
	bool json, quiet, no_hosts, no_canary, control, allow_host_network;
	const char *hosts_file;    /* "/etc/hosts" */
	const char *state_directory;
	const char *backend;       /* "auto", "nft", "xt" */
	unsigned timeout_ms;       /* --timeout, seconds on the command line */
	char **arguments;          /* what follows the options */
	int argument_count;
};

/* One subcommand: its options are checked against `takes`, then it runs and returns the exit status. */
int cmd_check(const struct options *options);
int cmd_plan(const struct options *options);
int cmd_apply(const struct options *options);
int cmd_verify(const struct options *options);
int cmd_canary(const struct options *options);
int cmd_remove(const struct options *options);
int cmd_log(const struct options *options);

#endif
