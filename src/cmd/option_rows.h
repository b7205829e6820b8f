/* option_rows.h: every option, a row each, and how its value is read. */
#ifndef EGRESSFW_CMD_OPTION_ROWS_H
#define EGRESSFW_CMD_OPTION_ROWS_H

#include "cmd/options.h"

#include <stddef.h>

struct reading;

struct option_row {
	const char *name;
	const char *value;                     /* what the value is called; NULL: it takes none */
	unsigned bit;                          /* 0: every command takes it */
	bool (*take)(struct reading *reading); /* false: err says why */
	size_t member; /* of struct options, for a take() that fills one alone; else 0 */
	const char *does;
};

/* What the reading of one option works on. */
struct reading {
	const struct option_row *row;
	struct options *options;
	const char *value; /* NULL where the row takes none; outlives the options */
	struct err *err;
};

/* The rows that the command takes: the first after `previous`, or of all; NULL: no more. */
const struct option_row *option_row_next(const struct command *command,
					 const struct option_row *previous);

#endif
