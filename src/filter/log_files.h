/* log_files.h: the older files of the decision log: PATH.1, the youngest, PATH.2, ... */
#ifndef EGRESSFW_FILTER_LOG_FILES_H
#define EGRESSFW_FILTER_LOG_FILES_H

#include <stdbool.h>

/* Whether PATH.1 to PATH.files are all there. */
bool log_files_are_full(const char *path, unsigned files);

/*
 * Renames PATH to PATH.1, and as many of those before up by one as stand in the way; the oldest of
 * `files` is replaced. False, with errno: PATH has its name still, and nothing was lost.
 */
bool log_files_put_aside(const char *path, unsigned files);

/* Takes that back for PATH alone, where nothing has its name. */
void log_files_put_back(const char *path);

#endif
