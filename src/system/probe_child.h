/* probe_child.h: one attempt to reach one target, in a process of its own. */
#ifndef EGRESSFW_SYSTEM_PROBE_CHILD_H
#define EGRESSFW_SYSTEM_PROBE_CHILD_H

#include "base/err.h"
#include "plan/probe.h"

#include <stdbool.h>
#include <stdint.h>

struct probe_attempt {
	const struct probe *probe;
	bool as_caller; /* keep our own uid, without privileges: the control */
	unsigned timeout_ms;
};

struct probe_answer {
	int errnum;           /* of what refused it; 0: connected, or the datagram was taken */
	bool timed_out;       /* errnum is then ETIMEDOUT */
	bool sent;            /* UDP: send(2) succeeded, whatever came back afterwards */
	uint16_t source_port; /* 0: it did not come to that */
	uint64_t elapsed_us;
};

/*
 * Forks, waits for the answer (at most timeout_ms and a grace of two seconds), and reaps the child,
 * which is killed where it overruns. The child has none of our descriptors, and ends with us.
 * False: it could not be started, could not isolate itself,
 * died, or answered nonsense.
 */
bool probe_child(const struct probe_attempt *attempt, struct probe_answer *ret, struct err *err);

#endif
