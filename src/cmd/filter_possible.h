/* filter_possible.h: whether the user of the filter that is planned may do what it will. */
#ifndef EGRESSFW_CMD_FILTER_POSSIBLE_H
#define EGRESSFW_CMD_FILTER_POSSIBLE_H

#include "cmd/session.h"

/*
 * Before anything is changed, and behind filter_check_conflicts(): whether it could open its log,
 * and listen. Needs CAP_SETUID and CAP_SETGID. The sentence names the option that helps.
 */
bool filter_check_possible(struct session *session, const struct filter_plan *filter,
			   struct err *err);

#endif
