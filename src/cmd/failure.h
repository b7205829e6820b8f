/* failure.h: why a command could not do its work, and the one line that says so. */
#ifndef EGRESSFW_CMD_FAILURE_H
#define EGRESSFW_CMD_FAILURE_H

#include "base/err.h"
#include "cmd/options.h"

/*
 * What a failing step hands upwards: the sentence, the exit status, and the state that is left
 * behind.
 */
struct failure {
	enum exit_status status;
	struct err err;
	char state[256];
};

#define NOTHING_CHANGED "nothing was changed"

/*
 * Fills in status and state and returns false, so that a step can end with it; the sentence is in
 * failure->err.
 */
bool failure_set(struct failure *failure, enum exit_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Prints "egressfw COMMAND: sentence; state" on standard error, one line without control
 * characters; of a command that runs a program with " (status N)" behind it. The command may be "".
 * One that never changes anything does not say that nothing was changed.
 */
void failure_say(const struct failure *failure, const struct options *options);

/* What the process ends with: of a command that runs a program, 125 for every own failure. */
int failure_exit_status(const struct failure *failure, const struct options *options);

/*
 * Prints "egressfw COMMAND: sentence; state" on standard error and, with --json, an object with the
 * same on standard output: a report that says nothing else, or of a command that makes none four
 * members. Returns the exit status.
 */
int failure_print(const struct failure *failure, const struct options *options);

#endif
