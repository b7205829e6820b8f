/* plan_list.h: egressfw plan --format cidr-list. */
#ifndef EGRESSFW_CMD_PLAN_LIST_H
#define EGRESSFW_CMD_PLAN_LIST_H

#include "cmd/options.h"

/* The whole command; returns the exit status. */
int plan_list(const struct options *options);

#endif
