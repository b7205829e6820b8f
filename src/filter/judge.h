/* judge.h: what the policy says about a request that came to the filter; pure. */
#ifndef EGRESSFW_FILTER_JUDGE_H
#define EGRESSFW_FILTER_JUDGE_H

#include "policy/decide.h"

/*
 * As decide(), for a request that asks the filter to connect: loopback is not "open" to it, since
 * the filter would be a way round the rules of loopback. VERDICT_INSPECT never comes: it is a
 * block.
 */
void judge(const struct policy *policy, const struct target *target, struct decision *ret);

/*
 * Whether a name's address may be dialled: an ordinary one, one in allow_private, or one that the
 * policy lists for that port. False: *ret says why, for the log and the answer.
 */
bool judge_address(const struct policy *policy, const struct target *target,
		   const struct address *address, struct decision *ret);

#endif
