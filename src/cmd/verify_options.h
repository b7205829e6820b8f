/* verify_options.h: what the command line of a verify says about what was applied. */
#ifndef EGRESSFW_CMD_VERIFY_OPTIONS_H
#define EGRESSFW_CMD_VERIFY_OPTIONS_H

#include "cmd/session.h"
#include "plan/finding.h"
#include "plan/plan.h"

#include <stdbool.h>

/*
 * Whether every --user lies within `confined`, as those are called whom `whose` confines: "the
 * plan". Refused as well: a name that passwd does not have. `confined` NULL: only that is asked.
 */
bool verify_check_users(const struct options *options, const struct rangeset *confined,
			const char *whose, struct failure *failure);

/*
 * Adds where the options of the filter say otherwise than the plan that is kept. Refused where
 * there is none (NULL) to compare them with, or where a user cannot be found.
 */
bool verify_compare_filter_options(const struct options *options, const struct plan *kept,
				   struct findings *findings, struct failure *failure);

#endif
