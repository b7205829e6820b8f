/* environment.h: what the environment could do to this process before its first own line. */
#ifndef EGRESSFW_SYSTEM_ENVIRONMENT_H
#define EGRESSFW_SYSTEM_ENVIRONMENT_H

#include "base/err.h"

#include <stdbool.h>

/*
 * The dynamic loader and the C library obey LD_* and GLIBC_TUNABLES (ld.so(8)), which an image may have
 * set for its own programs. Where one of them is set, starts this program anew without them and does
 * not return. False: it could not be started anew.
 */
bool environment_shed_loader(char **arguments, struct err *err);

#endif
