/* filter_theirs.h: a filter that somebody else starts: with which settings, and waited for. */
#ifndef EGRESSFW_CMD_FILTER_THEIRS_H
#define EGRESSFW_CMD_FILTER_THEIRS_H

#include "cmd/session.h"

/*
 * One that somebody else started, and that listens already, was started with the settings that are
 * kept; or with ones that nobody knows. False: those are not the planned ones. True where we start
 * the filter, or where nobody listens yet.
 */
bool filter_check_theirs(struct session *session, const struct filter_plan *filter,
			 struct err *err);

/*
 * Waits for it: settings that were not there before may be what it waits for. Whoever is not root
 * may not ask it: the confined users do, once the rules stand.
 */
bool filter_await_theirs(const struct session *session, const struct filter_plan *filter,
			 struct err *err);

#endif
