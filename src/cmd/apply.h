/* apply.h: what an apply has done so far, between its steps. */
#ifndef EGRESSFW_CMD_APPLY_H
#define EGRESSFW_CMD_APPLY_H

#include "cmd/close_first.h"
#include "cmd/reporting.h"
#include "cmd/session.h"
#include "cmd/undo.h"
#include "kernel/socket_end.h"
#include "plan/finding.h"
#include "plan/plan.h"
#include "plan/probe.h"

struct apply {
	struct session session;
	struct plan plan;
	bool planned;            /* plan holds one */
	struct rangeset leaving; /* whom the policy lets go: closed until all is proven */
	struct ruleset bridge;   /* the plan's ruleset with them closed besides, if there are any */
	bool log;                /* the kernel takes the log statement */
	bool released;           /* they are let go */
	bool committed;          /* something was changed in the kernel */
	struct closed closed;    /* by what was committed before the plan */
	bool write_hosts, hosts_changed;
	char hosts_note[1024];    /* what became of our lines in another file; "": there are none */
	bool opened;              /* the policy is public, and all of ours is taken out */
	struct undone undone;     /* of a public policy */
	const char *filter_state; /* what became of the filter; NULL: there is none */
	bool filter_ends;   /* where this apply fails: it is new, or nobody may be led on by it */
	bool filter_gone;   /* that of the rules which stand still: this apply has ended it */
	bool filter_failed; /* it could not be brought up */
	struct sockets_ended sockets;
	struct findings findings;
	struct probe_results results;
	char no_log_group[ERR_TEXT_SIZE];
	char state_left[STATE_LEFT_SIZE];
};

/* Fills *ret with what there is before the first step; apply_end() frees it whatever came after. */
void apply_begin(struct apply *ret, const struct options *options);
void apply_end(struct apply *apply);

/* Capabilities out of effect, the policy, which is the first argument, and its users. */
bool apply_read(struct apply *apply, struct failure *failure);

/*
 * All steps that come after, up to letting those go whom the policy does not name any more; a
 * public policy takes the rules out instead. The capabilities are then still permitted.
 */
bool apply_carry_out(struct apply *apply, struct failure *failure);

/* What there is to report of it; what became of the capabilities is the caller's to add. */
struct reporting apply_reporting(const struct apply *apply);

/* Builds apply->plan. */
bool apply_build_plan(struct apply *apply, struct failure *failure);

/*
 * Writes the plan to the state directory and commits its ruleset; without the log statement where
 * the kernel does not take it. Where the kernel refuses, what stood and what was kept stay as they
 * were.
 */
bool apply_commit(struct apply *apply, struct failure *failure);

/*
 * The hosts file's steps: whether it can be written, before anything is changed; its lines, and
 * those of an earlier apply in another file gone.
 */
bool apply_hosts_check(struct apply *apply, struct failure *failure);
bool apply_hosts_write(struct apply *apply, struct failure *failure);

/* What a failure before or at the commit exits with: whether anything was changed till then. */
enum exit_status apply_refused_status(const struct apply *apply);

/*
 * The filter's steps, where the policy needs it: what can be known before anything is changed;
 * nobody open meanwhile; running with the plan's settings (or, where the policy needs none, none of
 * ours is running any more); answering the confined users. After a failure one that is new is ended
 * again, and the state that is left has a word about the filter, where this apply has touched it.
 */
bool apply_filter_check(struct apply *apply, struct failure *failure);
bool apply_filter_close(struct apply *apply, struct failure *failure);
bool apply_filter_bring_up(struct apply *apply, struct failure *failure);
bool apply_filter_ask(struct apply *apply, struct failure *failure);
void apply_filter_abandon(struct apply *apply, struct failure *failure);

/* What apply_commit() has put into the kernel. */
const struct ruleset *apply_committed(const struct apply *apply);

/* Commits the plan's ruleset itself, which lets those go whom the policy does not name any more. */
bool apply_release(struct apply *apply, struct failure *failure);

#endif
