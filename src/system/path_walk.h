/* path_walk.h: every part of a path, and of where links on it lead. */
#ifndef EGRESSFW_SYSTEM_PATH_WALK_H
#define EGRESSFW_SYSTEM_PATH_WALK_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/stat.h>

/* False, with a sentence that begins with the part: the walk ends there. */
typedef bool path_judge(const void *context, const char *part, const struct stat *status,
			struct err *err);

/*
 * Shows `judge` each part of an absolute path from the root on, links (symlink(7)) as such, and
 * then the parts of where they lead; what is not there, and what comes behind it, is shown to
 * nobody.
 */
bool path_walk(const char *path, path_judge *judge, const void *context, struct err *err);

#endif
