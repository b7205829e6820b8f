/* judge.h: what a ruleset does with a packet, in memory. */
#ifndef EGRESSFW_PLAN_JUDGE_H
#define EGRESSFW_PLAN_JUDGE_H

#include "plan/ruleset.h"

struct packet {
	bool owned;   /* it has a socket with a file */
	uint32_t uid; /* of the owner */
	struct address source, destination;
	uint8_t protocol;                       /* the final IP protocol number */
	uint16_t source_port, destination_port; /* TCP, UDP and their like */
	uint16_t original_port; /* to which its connection was begun, before any nat */
	uint8_t tcp_flags;
	uint8_t icmp_type;
	bool out_loopback, in_loopback; /* the interface is "lo" */
	bool destination_local;         /* fib: one of this host's addresses */
	bool source_local;              /* the same of the source */
	uint8_t reported_groups; /* records of a group report that are all of solicited nodes */
	bool tracked;            /* it has a connection */
	bool first;              /* the first packet of its connection */
	bool reply;              /* in the reply direction of its connection */
	uint32_t mark;           /* of the connection */
};

enum judgement { JUDGED_ACCEPT, JUDGED_DROP, JUDGED_RESET, JUDGED_PROHIBITED };

/*
 * Runs the packet through the base chains of the hook in order of priority, as nf_tables does: a
 * rule with an expression that has no value (no owner, no port, no connection) does not match, and
 * what it did before that stays done. *ret_mark is the connection's mark afterwards; *ret_chain and
 * *ret_rule tell which rule gave the verdict (NULL and 0: the chain's policy, or no chain at all).
 */
enum judgement judge(const struct ruleset *ruleset, enum hook hook, const struct packet *packet,
		     uint32_t *ret_mark, const struct chain **ret_chain, size_t *ret_rule);

/* Output, then postrouting. */
enum judgement judge_sent(const struct ruleset *ruleset, const struct packet *packet,
			  uint32_t *ret_mark);

/* "accept", "drop", "reset", "prohibited". */
const char *judgement_name(enum judgement judgement);

#endif
