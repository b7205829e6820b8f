/* program.h: egressfilter from its start to its end. */
#ifndef EGRESSFW_FILTER_PROGRAM_H
#define EGRESSFW_FILTER_PROGRAM_H

#include <stdbool.h>

/* Exit statuses; the first four numbers of egressfw mean the same. */
enum program_status {
	PROGRAM_DONE =
		0, /* ended by a signal, every line written; --check: the settings are good */
	PROGRAM_LOST = 1,   /* ended by a signal; lines of the log could not be written */
	PROGRAM_USAGE = 2,  /* command line or settings are wrong; nothing was started */
	PROGRAM_CANNOT = 3, /* it cannot be run here; nothing was started */
};

struct program_options {
	const char *settings; /* path, or "-" */
	const char *user;     /* NULL: goes on as it is, unless that is root; with `check` as any */
	int ready_descriptor; /* -1: none */
	bool check;           /* reads the settings and ends */
};

int program_run(const struct program_options *options);

/* Prints one line to standard error. */
void program_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
