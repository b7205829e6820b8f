/* run_init.h: what an init does for one program: reap, pass signals on, end as it ended. */
#ifndef EGRESSFW_SYSTEM_RUN_INIT_H
#define EGRESSFW_SYSTEM_RUN_INIT_H

#include "base/err.h"

#include <stdbool.h>

/*
 * Splits in two. True in the child, which goes on to execute its program, with the signals as they
 * were. The parent does not return: it adopts and reaps whoever is orphaned, passes on every signal
 * that can be caught, and ends when its child does, with the child's status or 128 and the number
 * of the signal that ended it. It keeps no descriptor. Needs no privilege, and is meant to have
 * none.
 */
bool run_init_split(struct err *err);

#endif
