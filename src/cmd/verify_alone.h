/* verify_alone.h: what can be told of a table without a plan to compare it with. */
#ifndef EGRESSFW_CMD_VERIFY_ALONE_H
#define EGRESSFW_CMD_VERIFY_ALONE_H

#include "cmd/session.h"
#include "plan/finding.h"

#include <stdbool.h>

/*
 * Adds whether it is there and whole, or, where the policy is public, whether there is none. Where
 * there is no policy, whom it confines goes to session->confined, and every --user must be of them.
 * `busy`: who is at work in the state directory, "" for nobody.
 */
bool verify_alone(struct session *session, bool public, const char *busy, struct findings *findings,
		  struct failure *failure);

#endif
