/* working_directory.h: where a program starts: a directory that its user reaches by path. */
#ifndef EGRESSFW_SYSTEM_WORKING_DIRECTORY_H
#define EGRESSFW_SYSTEM_WORKING_DIRECTORY_H

#include "base/err.h"
#include "system/identity.h"

#include <stdbool.h>

/*
 * A working directory is handed on like a descriptor: below a directory that is closed to the user
 * it would open to it what no path does. So the user enters it anew, by its whole path.
 */

/*
 * The whole path of `named`, or, where that is NULL, of the directory that this process is in. The
 * caller frees *ret. False: there is no such directory, or what this process is in has no path.
 */
bool working_directory_find(const char *named, char **ret, struct err *err);

/*
 * Whether the user can enter the path, tried by a child that is the user and has no capability; and
 * where `inherited`, whether it is then where this process is. Changes nothing. Needs CAP_SETUID
 * and CAP_SETGID permitted.
 */
bool working_directory_check(const char *path, bool inherited, const struct identity *identity,
			     unsigned timeout_ms, struct err *err);

/* Enters it, as whoever this process is. */
bool working_directory_enter(const char *path, const struct identity *identity, struct err *err);

#endif
