/* probe_run.h: the canary: the probes of a user in a child that is that user and nothing more. */
#ifndef EGRESSFW_SYSTEM_PROBE_RUN_H
#define EGRESSFW_SYSTEM_PROBE_RUN_H

#include "base/err.h"
#include "plan/probe.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel's side of the proof, handed in by the command. Either function may be NULL: then that
 * proof cannot be had. A witness that fails proves nothing.
 */
struct probe_witness {
	void *context;
	/* Packets counted so far by the refuse chain. */
	bool (*count)(void *context, uint64_t *ret_packets, struct err *err);
	/* Whether the log group has reported a packet of the probe's user, protocol and target. */
	bool (*logged)(void *context, const struct probe *probe, uint16_t source_port, bool *ret,
		       struct err *err);
};

struct probe_run_settings {
	unsigned timeout_ms; /* for one connection attempt */
	bool control;        /* try the same target as the calling, unconfined uid too */
	/*
	 * The kernel neither counts nor refuses, it drops without a word: whatever comes back shows
	 * that the probe is open, and that nothing does is proof only beside the unconfined uid.
	 */
	bool by_difference;
};

/*
 * Runs every probe: fork, once for successive probes of one uid; become the uid (privilege.h; needs
 * CAP_SETUID and CAP_SETGID permitted); then, for each, socket, bind to a free port, connect or
 * send; the result comes back over a pipe and is validated. One packet leaves per attempt: a SYN
 * that our rule resets, or a datagram.
 *
 * Open: connected, or a datagram was taken. Blocked: the errno is the one of our reject, and either
 * the log has this probe and the counter, where there is one, rose; or the counter rose by exactly
 * the probe's packet (three attempts against other traffic). Inconclusive: everything else,
 * whatever the errno.
 *
 * By difference: open as soon as anything came back, a refusal too; blocked where nothing did
 * within the time and the unconfined uid, right afterwards and within a second, had an answer.
 *
 * Results stand in the order of the probes. False: a child could not be started, could not become
 * the uid or did not answer; what it was doing is in *err. Every child is reaped.
 */
bool probe_run(const struct probes *probes, const struct probe_run_settings *settings,
	       const struct probe_witness *witness, struct probe_results *ret, struct err *err);

#endif
