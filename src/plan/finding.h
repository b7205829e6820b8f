/* finding.h: differences between what was planned and what is there. */
#ifndef EGRESSFW_PLAN_FINDING_H
#define EGRESSFW_PLAN_FINDING_H

#include <stdbool.h>
#include <stddef.h>

enum finding_kind {
	FINDING_TABLE_MISSING,
	FINDING_TABLE_FLAGS,
	FINDING_TABLE_COMMENT,
	FINDING_SET_MISSING,
	FINDING_SET_EXTRA,
	FINDING_SET_CHANGED,
	FINDING_ELEMENT_MISSING,
	FINDING_ELEMENT_EXTRA,
	FINDING_CHAIN_MISSING,
	FINDING_CHAIN_EXTRA,
	FINDING_CHAIN_HOOK,
	FINDING_CHAIN_PRIORITY,
	FINDING_CHAIN_POLICY,
	FINDING_RULE_MISSING,
	FINDING_RULE_EXTRA,
	FINDING_RULE_CHANGED,
	FINDING_RULE_MOVED,
	FINDING_HOSTS_MISSING,
	FINDING_HOSTS_LINE_MISSING,
	FINDING_HOSTS_LINE_EXTRA,
	FINDING_HOSTS_CONFLICT,
	FINDING_PLAN_MISSING,    /* there is a place for it: an apply did not come to its end */
	FINDING_FILTER_STOPPED,  /* the filter that we started is not running */
	FINDING_FILTER_SILENT,   /* nobody answers where it should listen, or somebody else does */
	FINDING_FILTER_LOG,      /* it answers, and refuses everything: it cannot write its log */
	FINDING_FILTER_SETTINGS, /* its settings are not those of the plan */
	FINDING_HOSTS_SHARED,    /* a warning: another instance pins a name to another address */
	FINDING_FOREIGN_CHAIN,   /* a warning: another base chain on output */
	FINDING_OTHER_INSTANCE,  /* a warning: the same of a table with a name of ours (--name) */
	FINDING_STATE_MISSING,   /* a warning: no state is kept, or it is not the kernel's */
	FINDING_FILTER_UNASKED,  /* a warning: it listens; who verifies may not connect to it */
	FINDING_FILTER_NAMESERVERS, /* a warning: resolv.conf names others than the filter asks */
	FINDING_USER_CHANGED,       /* whom the policy names has another uid by now */
	FINDING_KINDS,
};

struct finding {
	enum finding_kind kind;
	char *object; /* "rule 3 of chain confined", "set pin4_1", "hosts line \"::1 a.test\"" */
	char *detail; /* "wanted: ..., found: ..." */
};

struct findings {
	struct finding *items;
	size_t count;
};

/* "rule-missing": stable, as --json shows it. */
const char *finding_name(enum finding_kind kind);
/* Warnings do not make a verify fail. */
bool finding_is_warning(enum finding_kind kind);

/* Takes over both strings. */
void findings_add(struct findings *findings, enum finding_kind kind, char *object, char *detail);
void findings_free(struct findings *findings);
/* How many are no warnings. */
size_t findings_count_differences(const struct findings *findings);

#endif
