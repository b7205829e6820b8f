/* judge_statement.h: whether a packet in memory goes on behind one statement, and what that does to it. */
#ifndef EGRESSFW_PLAN_JUDGE_STATEMENT_H
#define EGRESSFW_PLAN_JUDGE_STATEMENT_H

#include "plan/judge.h"

/* A packet on its way: the mark changes, and a rule remembers which protocol it asked for. */
struct journey {
	const struct ruleset *ruleset;
	const struct packet *packet;
	uint32_t mark;
	bool protocol_matched; /* by an earlier statement of this rule */
};

/* What became of a statement: as nf_tables does, a rule ends where an expression has no value. */
enum step { STEP_NEXT, STEP_BREAK, STEP_VERDICT };

/* Takes the packet past the statement. */
enum step judge_statement(struct journey *journey, const struct statement *statement);

#endif
