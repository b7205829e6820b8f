/* probe_run.h: the canary: each probe in a child that is the confined user and nothing more. */
#ifndef EGRESSFW_SYSTEM_PROBE_RUN_H
#define EGRESSFW_SYSTEM_PROBE_RUN_H

#include "base/err.h"
#include "plan/probe.h"

#include <stdbool.h>
#include <stdint.h>

/* The kernel's side of the proof, handed in by the command. Either member may be NULL: then that proof cannot be had. */
struct probe_witness {
	void *context;
	/* Packets counted so far by the refuse chain. */
	bool (*count)(void *context, uint64_t *ret_packets, struct err *err);
	/* Whether the log group has reported a refused packet with exactly this protocol, source port and destination. */
	bool (*logged)(void *context, enum probe_protocol protocol, uint16_t source_port,
		       const struct address_port *destination, bool *ret, struct err *err);
};

struct probe_run_settings {
	unsigned timeout_ms; /* for one connection attempt */
	bool control;        /* try the same target as the calling, unconfined uid too */
};

/*
 * Runs every probe: fork; become the uid (privilege.h; needs CAP_SETUID and CAP_SETGID permitted); then socket, bind to a free port, connect
 * or send; the result comes back over a pipe and is validated. Results stand in the order of the probes. False: a child could not be
 * started or did not answer; what it was doing is in *err.
 */
bool probe_run(const struct probes *probes, const struct probe_run_settings *settings, const struct probe_witness *witness,
	       struct probe_results *ret, struct err *err);

#endif
