/* apply.h: what an apply has done so far, between its steps. */
#ifndef EGRESSFW_CMD_APPLY_H
#define EGRESSFW_CMD_APPLY_H

#include "cmd/session.h"
#include "cmd/undo.h"
#include "kernel/socket_end.h"
#include "plan/finding.h"
#include "plan/plan.h"
#include "plan/probe.h"

struct apply {
	struct session session;
	struct plan plan;
	bool planned;   /* plan holds one */
	bool log;       /* the kernel takes the log statement */
	bool committed; /* something was changed in the kernel */
	bool write_hosts, hosts_changed;
	struct undone undone; /* of a public policy */
	struct sockets_ended sockets;
	struct findings findings;
	struct probe_results results;
	char no_log_group[ERR_TEXT_SIZE];
	bool bounding_left;
	char state_left[256];
};

/* Builds apply->plan. */
bool apply_build_plan(struct apply *apply, struct failure *failure);

/*
 * Writes the plan to the state directory and commits its ruleset; without the log statement where the
 * kernel does not take it. Where the kernel refuses, what stood and what was kept stay as they were.
 */
bool apply_commit(struct apply *apply, struct failure *failure);

#endif
