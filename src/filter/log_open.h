/* log_open.h: a file of the decision log that nobody else can write or replace. */
#ifndef EGRESSFW_FILTER_LOG_OPEN_H
#define EGRESSFW_FILTER_LOG_OPEN_H

#include "base/err.h"

#include <stdbool.h>

/*
 * Opens the regular file, or makes it. It and its folder must belong to whom we run as, with no
 * right to write for a group or for others. `path` is absolute.
 */
bool log_open(const char *path, int *ret, struct err *err);

/* Whether that could be done, and nothing is made. */
bool log_check(const char *path, struct err *err);

/* Makes it; where the name is taken, or with any other errno, -1. */
int log_open_new(const char *path);

#endif
