/* filter_log.h: a place where the filter may write its log. */
#ifndef EGRESSFW_SYSTEM_FILTER_LOG_H
#define EGRESSFW_SYSTEM_FILTER_LOG_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Should: make the directory, with those above it, and give it to the user; its group stays the
 * caller's, for the files in it as well, so that root can read them without a capability. One that
 * is there is given too where it is empty and the caller's own: a volume, as engines mount it.
 * Mustn't: change any other that is there. Needs CAP_CHOWN permitted where it gives. It may stay
 * behind empty when it cannot be given.
 */
bool filter_log_directory(const char *path, uid_t uid, struct err *err);

#endif
