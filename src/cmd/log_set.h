/* log_set.h: the files of decision logs that are to be summed up, opened. */
#ifndef EGRESSFW_CMD_LOG_SET_H
#define EGRESSFW_CMD_LOG_SET_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Starts as { 0 }. */
struct log_set {
	struct log_file {
		char *path;
		int descriptor;
	} * items;
	size_t count;
};

/*
 * A file, "-" for standard input, or a directory: then all of its files NAME.log and
 * NAME.log.NUMBER. The sentence names the path.
 */
bool log_set_add(struct log_set *set, const char *path, struct err *err);

/* A log with those of its older files that are there: PATH.1 to PATH.99. */
bool log_set_add_whole(struct log_set *set, const char *path, struct err *err);

void log_set_free(struct log_set *set);

#endif
