/* report.h: what a command did and saw, as text for people and as JSON for programs. */
#ifndef EGRESSFW_PLAN_REPORT_H
#define EGRESSFW_PLAN_REPORT_H

#include "base/buffer.h"
#include "base/rangeset.h"
#include "plan/filter_plan.h"
#include "plan/finding.h"
#include "plan/probe.h"
#include "plan/resolved.h"
#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * A command fills in what it knows and leaves the rest zero: what is not known is left out of the
 * text and is null or empty in the JSON, whose fields are always the same
 * (contrib/report.schema.json). Pointers stay the caller's; only the notes belong to the report.
 */
enum report_ipv6 { REPORT_IPV6_UNKNOWN, REPORT_IPV6_UP, REPORT_IPV6_ABSENT, REPORT_IPV6_STATES };

enum report_backend {
	REPORT_BACKEND_UNKNOWN,
	REPORT_BACKEND_NFT,
	REPORT_BACKEND_XT,
	REPORT_BACKENDS
};

enum report_hosts {
	REPORT_HOSTS_UNKNOWN,
	REPORT_HOSTS_WRITTEN,    /* our block is new or was changed */
	REPORT_HOSTS_UNCHANGED,  /* it stood there already */
	REPORT_HOSTS_REMOVED,    /* it was taken out */
	REPORT_HOSTS_NOT_NEEDED, /* no name is pinned and no line of ours was there */
	REPORT_HOSTS_COMPARED,   /* verify: the findings say how it differs */
	REPORT_HOSTS_OFF,        /* --no-hosts */
	REPORT_HOSTS_STATES,
};

enum report_capabilities {
	REPORT_CAPABILITIES_UNKNOWN,
	REPORT_CAPABILITIES_DROPPED,       /* from every set */
	REPORT_CAPABILITIES_BOUNDING_LEFT, /* all but the bounding set, for want of CAP_SETPCAP */
	REPORT_CAPABILITIES_STATES,
};

/* Live sockets of the confined users to places that the new rules do not allow. */
struct report_sockets {
	size_t ended;
	size_t left; /* could not be ended */
};

struct report {
	const char *command;         /* "apply" */
	const char *instance;        /* "" or N of --name */
	const char *policy_path;     /* NULL: there was none; "-" is standard input */
	const struct policy *policy; /* for its mode and enforcement */
	const struct rangeset *confined;
	const struct rangeset *standing; /* whom the kernel's rules confine; NULL: the same */
	bool altered; /* nor does anybody know whom: somebody else changed these rules */
	const struct rangeset *released; /* whom our rules confined before, and do not any more */
	const struct resolved *resolved; /* names, their addresses, and those that were refused */
	const struct ruleset
		*ruleset; /* counted: sets, elements, rules, whether the log statement is in */
	enum report_backend backend;
	const struct filter_plan *filter; /* NULL: the policy needs none */
	const char *filter_state;         /* "started", ...; NULL: not known */
	enum report_ipv6 ipv6;
	enum report_hosts hosts;
	const char *hosts_file;
	const struct report_sockets *sockets;
	const struct findings *findings; /* differences and warnings; NULL: nothing was compared */
	bool table_missing; /* the kernel has no table of ours: ruleset and confined are only wanted */
	const struct probe_results *results; /* NULL: nothing was probed */
	const char
		*no_log_group; /* why only counters could be proof; NULL or "": records could too */
	enum report_capabilities capabilities;
	char **notes;
	size_t note_count;
	const char *error; /* the sentence of the failure, NULL where there was none */
	int exit_status;
	const char *state; /* what state is left, one sentence */
};

/* Appends a free sentence; copies it. */
void report_add_note(struct report *report, const char *sentence);

/*
 * Adds the notes that follow from what is in the report: that addresses are pinned and not names,
 * what a refused special-purpose address means, that the log statement is not in, to which family
 * there was no route, that a bounding set is left.
 */
void report_add_standing_notes(struct report *report);

/* Adds a note for each family to which no route led, so that nothing was proven for it. */
void report_add_route_notes(struct report *report, const struct probe_results *results);

/* Adds what the filter (NULL: there is none) has to do without. */
void report_add_filter_notes(struct report *report, const struct filter_plan *filter);

/* Frees the notes. */
void report_free(struct report *report);

/* Appends some aligned lines, without control characters of any origin. */
void report_text(const struct report *report, struct buffer *out);

/* Appends one JSON object, indented, in ASCII, with a newline at the end. */
void report_json(const struct report *report, struct buffer *out);

/* Counts over a ruleset, as the report shows them. */
struct report_counts {
	size_t sets, elements, rules;
	bool log; /* the log statement is in */
};
struct report_counts report_count(const struct ruleset *ruleset);

/* "written", "up", "dropped"; "unknown" for what is zero. */
const char *report_hosts_name(enum report_hosts state);
const char *report_backend_name(enum report_backend backend);
const char *report_ipv6_name(enum report_ipv6 state);
const char *report_capabilities_name(enum report_capabilities state);

#endif
