/* user_specs.h: users as a policy or --user names them, for tests. */
#ifndef EGRESSFW_TESTS_USER_SPECS_H
#define EGRESSFW_TESTS_USER_SPECS_H

#include "policy/policy.h"

/* "agent,1500-1510" as specs, which the caller gives back with specs_free(). */
struct user_specs specs_of(const char *text);
void specs_free(struct user_specs *specs);

#endif
