/* hosts_path.h: whether a user could lead the path of a hosts file elsewhere. */
#ifndef EGRESSFW_SYSTEM_HOSTS_PATH_H
#define EGRESSFW_SYSTEM_HOSTS_PATH_H

#include "base/err.h"
#include "base/rangeset.h"

#include <stdbool.h>

/*
 * False where a part of an absolute path, or of where links on it lead (symlink(7)), belongs to one
 * of these users: who owns a directory can put anything in the place of what is in it, and whoever
 * writes to the path later as root would write to that. A part that is not there is nobody's.
 */
bool hosts_path_check(const char *path, const struct rangeset *uids, struct err *err);

#endif
