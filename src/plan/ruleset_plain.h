/* ruleset_plain.h: a ruleset for gVisor's tables, which have jumps alone and little room. */
#ifndef EGRESSFW_PLAN_RULESET_PLAIN_H
#define EGRESSFW_PLAN_RULESET_PLAIN_H

#include "plan/ruleset.h"

/* A chain that such a ruleset has besides: it asks whose a packet is. */
#define XT_CHAIN_USERS "users"

/*
 * What a ruleset of one family does to packets that somebody owns, said without marks, and so that
 * `accept` may be a return to the chain before. Without "ownerless", "forward" and "postrouting".
 */
void ruleset_plain(const struct ruleset *from, struct ruleset *ret);

#endif
