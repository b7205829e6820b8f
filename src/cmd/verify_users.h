/* verify_users.h: whether the users whom a policy named are still who they were. */
#ifndef EGRESSFW_CMD_VERIFY_USERS_H
#define EGRESSFW_CMD_VERIFY_USERS_H

#include "plan/finding.h"
#include "plan/plan.h"

#include <stdbool.h>

/*
 * Adds who has another uid in passwd by now than when the plan was made, which the rules do not
 * know. Who is not there any more is nobody who could be open. False: passwd cannot be read.
 */
bool verify_compare_users(const struct plan *kept, struct findings *findings, struct err *err);

#endif
