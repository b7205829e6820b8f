/* environment.h: what the environment could do to this process before its first own line. */
#ifndef EGRESSFW_SYSTEM_ENVIRONMENT_H
#define EGRESSFW_SYSTEM_ENVIRONMENT_H

#include "base/err.h"

#include <stdbool.h>

/*
 * The dynamic loader and the C library obey LD_* and GLIBC_TUNABLES (ld.so(8)), which an image may
 * have set for its own programs. Where one of them is set, starts this program anew without them
 * and does not return. False: it could not be started anew.
 */
bool environment_shed_loader(char **arguments, struct err *err);

/*
 * What a caller may have left odd: descriptors 0 to 2 that are closed are opened on /dev/null,
 * since a lock or a socket must not get their numbers; SIGCHLD has its default, so that children
 * can be waited for; a write beyond a limit or into a closed pipe is an error, not the end.
 */
bool environment_settle(struct err *err);

/*
 * For a program that is about to be executed: what environment_settle() has set is the default
 * again, and no signal is blocked.
 */
bool environment_hand_over(struct err *err);

#endif
