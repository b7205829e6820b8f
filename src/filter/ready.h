/* ready.h: tells whoever started the filter that it answers. */
#ifndef EGRESSFW_FILTER_READY_H
#define EGRESSFW_FILTER_READY_H

#include "base/err.h"

#include <stdbool.h>

struct ready {
	int descriptor; /* of --ready-fd; -1: none */
	int notify;     /* connected to NOTIFY_SOCKET; -1: none */
};

/* Opens what telling will need, before the process is confined. */
bool ready_open(int descriptor, struct ready *ret, struct err *err);

/*
 * "taken\n" to the descriptor, which may be -1, and whatever becomes of it: another socket has the
 * address where this one should listen.
 */
void ready_tell_taken(int descriptor);

/* "ready\n", and READY=1 as sd_notify(3) says it. Closes both. */
bool ready_tell(struct ready *ready, struct err *err);

#endif
