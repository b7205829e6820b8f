/* user_specs.h: users as a policy or --user names them, and the files that know them, for tests. */
#ifndef EGRESSFW_TESTS_USER_SPECS_H
#define EGRESSFW_TESTS_USER_SPECS_H

#include "policy/policy.h"
#include "system/users.h"

/* "agent,1500-1510" as specs, which the caller gives back with specs_free(). */
struct user_specs specs_of(const char *text);
void specs_free(struct user_specs *specs);

/* passwd with this text, and an empty subuid, in the scratch directory. */
struct users_files users_files_make(const char *passwd);
void users_files_free(struct users_files *files);

#endif
