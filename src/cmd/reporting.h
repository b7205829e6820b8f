/* reporting.h: from what a command did to its printed report. */
#ifndef EGRESSFW_CMD_REPORTING_H
#define EGRESSFW_CMD_REPORTING_H

#include "cmd/failure.h"
#include "cmd/session.h"
#include "cmd/undo.h"
#include "kernel/socket_end.h"
#include "plan/finding.h"
#include "plan/plan.h"
#include "plan/probe.h"
#include "plan/report.h"

/*
 * What there is to report; NULL where the command has nothing of the kind. All of it stays the
 * caller's.
 */
struct reporting {
	const struct options *options;
	const struct session *session;
	const struct plan *plan;
	const struct findings *findings;
	const struct probe_results *results;
	const struct undone *undone;
	const struct rangeset *released; /* whom our rules let go */
	const struct sockets_ended *sockets;
	const char *no_log_group; /* why the log group could not be read, "" where it could */
	const char *note;         /* one more sentence */
	const char *filter_state; /* what became of the filter; NULL: not known */
	const char *state;        /* what stands now, one sentence; a failure brings its own */
	const struct rangeset
		*standing;   /* verify: whom the kernel's rules confine; NULL: as planned */
	bool altered;        /* verify: these rules are not those that were committed */
	bool table_missing;  /* verify: the kernel has none of ours */
	bool hosts_compared; /* verify */
	bool hosts_written;
	bool hosts_changed;
	bool dropped; /* all capabilities are gone */
	bool bounding_left;
};

/* Whom the rules confine; NULL: the policy is public. */
const struct rangeset *reporting_confined(const struct reporting *reporting);

/*
 * Of those who were let go by rules that others still have, who runs something now; NULL: nobody,
 * as far as can be seen. The caller frees it.
 */
char *reporting_released_note(const struct reporting *reporting);

/* Of a report about probes. */
void reporting_add_loopback_note(struct report *report);

/* Prints a warning where no report has it: one line on standard error. */
void reporting_warn(const struct options *options, const char *sentence);

/* What has to be said under --quiet too; `released` may be NULL. */
void reporting_warn_quietly(const struct reporting *reporting, const char *released);

/*
 * Prints the report: text, or one JSON object, or nothing with --quiet; and the failure's line on
 * standard error, where there is one, whose exit status then counts. The text of a failure has only
 * what that line does not say. Returns the exit status.
 */
int reporting_print(const struct reporting *reporting, int status, const struct failure *failure);

#endif
