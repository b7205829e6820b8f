/* probe_child.h: attempts to reach targets, one after the other, in a process of their own. */
#ifndef EGRESSFW_SYSTEM_PROBE_CHILD_H
#define EGRESSFW_SYSTEM_PROBE_CHILD_H

#include "base/err.h"
#include "plan/probe.h"
#include "system/probe_attempt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As whom, and what of: the probes are not copied and must outlive the child. */
struct probe_child_settings {
	const struct probes *probes;
	uint32_t uid;
	bool as_caller; /* keep our own uid, without privileges: the control */
	unsigned timeout_ms;
};

struct probe_child {
	pid_t pid;
	uid_t uid;
	unsigned timeout_ms;
	int requests, answers; /* ends of pipes */
	int leash;             /* what it hangs on: closed, it is killed */
};

/* Forks. The child has none of our descriptors, and ends with us. */
bool probe_child_start(const struct probe_child_settings *settings, struct probe_child *ret,
		       struct err *err);

/*
 * Has it try one of the probes and waits for the answer, at most its timeout and a grace of two
 * seconds. False: it could not isolate itself, died, or answered nonsense; it is good for nothing
 * then but to be ended. SIGPIPE must be ignored (environment_settle()): its user may kill it.
 */
bool probe_child_try(struct probe_child *child, size_t index, struct probe_answer *ret,
		     struct err *err);

/* Ends and reaps it; what overruns is killed, which needs CAP_SETUID (privilege_kill()). */
bool probe_child_end(struct probe_child *child, struct err *err);

#endif
