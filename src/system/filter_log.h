/* filter_log.h: a place where the filter may write its log. */
#ifndef EGRESSFW_SYSTEM_FILTER_LOG_H
#define EGRESSFW_SYSTEM_FILTER_LOG_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Makes the directory, if it is not there, and gives it to the user and the group; what is there stays
 * as it is. Needs CAP_CHOWN permitted where it is made.
 */
bool filter_log_directory(const char *path, uid_t uid, gid_t gid, struct err *err);

#endif
