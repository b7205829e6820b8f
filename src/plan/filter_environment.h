/* filter_environment.h: the variables by which programs find the filter. */
#ifndef EGRESSFW_PLAN_FILTER_ENVIRONMENT_H
#define EGRESSFW_PLAN_FILTER_ENVIRONMENT_H

#include "base/buffer.h"
#include "policy/policy.h"

/*
 * "NAME=VALUE" up to a NULL, for a filter that listens there (the first address is the one that is
 * said): proxy variables in both cases, since programs differ in which they read, what must not go
 * through a proxy, and what Node.js and Java need besides. Free it with run_environment_free().
 */
char **filter_environment(const struct address_ports *listen);

/*
 * Appends lines that export variables in a POSIX shell; values are quoted whatever is in them. A
 * variable whose name is none that a shell can have is left out.
 */
void environment_print_shell(char *const *variables, struct buffer *out);

#endif
