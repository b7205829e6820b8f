/* ruleset_lower.h: a ruleset in the form that legacy xtables can hold: a rule is one entry. */
#ifndef EGRESSFW_PLAN_RULESET_LOWER_H
#define EGRESSFW_PLAN_RULESET_LOWER_H

#include "plan/ruleset.h"
#include "policy/policy.h"

#include <stdbool.h>

/* What the kernel's xtables know. */
struct xt_kernel {
	/*
	 * gVisor's: matches by one uid, by address, outgoing interface, protocol and port; the
	 * verdicts accept, drop, return and jump. Nothing else.
	 */
	bool plain;
	bool reject; /* the target REJECT; else what is refused is dropped */
	bool log;    /* the target NFLOG */
	/* Revision 2 of the target CONNMARK, the only one that iptables(8) then reads. */
	bool connmark_2;
	bool conntrack; /* the match conntrack: a packet's direction, a connection's first packet */
};

enum {
	XT_RULES_MAX = 16384, /* of one family: every packet of a confined user walks along them */
	XT_UIDS_MAX = 1024,   /* where each uid is a rule that everybody's packets walk along */
	XT_CHAIN_NAME_MAX = 28, /* what iptables(8) takes; with its NUL the kernel has 30 bytes */
	XT_INSTANCE_MAX = 9,    /* of --name: "egressfw-NAME/ownerless" */
};

/* A chain that the lowered form has besides: it marks, and accepts. */
#define XT_CHAIN_ALLOWED "allowed"

/*
 * Whether these tables can hold all of the policy. False: a sentence that names the field and says
 * what is missing; nothing is ever left out instead.
 */
bool xt_can_express(const struct policy *policy, const char *instance,
		    const struct xt_kernel *kernel, struct err *err);

/*
 * The part of an inet ruleset that is about one family (TABLE_IP, TABLE_IP6), as rules that are
 * each one entry of the table "filter": without sets of addresses, lists, actions beside the
 * verdict and counters (every entry counts). Statements stand in the order of their kinds. `accept`
 * means that the rest of the hook's own chain judges the packet. The sets of uids are what
 * ruleset_derive_users() finds. Its comment is its digest. False: a statement that has no such
 * form, or more than XT_RULES_MAX rules.
 *
 * The chain "postrouting" is left out: in these tables nothing changes a packet's route after
 * "filter" has judged it. A plain kernel, which forwards nothing and whose sockets' packets keep
 * their owner, gets what ruleset_plain() makes of the ruleset.
 */
bool ruleset_lower(const struct ruleset *inet, enum table_family family,
		   const struct xt_kernel *kernel, struct ruleset *ret, struct err *err);

/*
 * Adds the sets "confined" and "closing" of the users whose packets the rules of "output" or
 * "users" send to the chains of these names.
 */
void ruleset_derive_users(struct ruleset *ruleset);

/* Brings a rule's statements into the order of their kinds. */
void statements_sort(struct statement *statements, size_t count);

#endif
