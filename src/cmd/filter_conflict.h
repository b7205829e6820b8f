/* filter_conflict.h: other filters, and whoever else is where this one wants to be. */
#ifndef EGRESSFW_CMD_FILTER_CONFLICT_H
#define EGRESSFW_CMD_FILTER_CONFLICT_H

#include "cmd/session.h"

/*
 * Before anything is changed: whether somebody else listens where the filter that is planned will,
 * runs as its user or writes its log; and what filter_check_others() finds. One that is ours is in
 * nobody's way: it goes on, or is ended first. `filter` NULL: the policy needs none. The sentence
 * names the option that helps.
 */
bool filter_check_conflicts(struct session *session, const struct filter_plan *filter,
			    struct err *err);

/*
 * Fails where a filter of another policy goes on, which the confined users would reach: one that is
 * not ours to end, or whose process was forgotten. `filter`: the one that is planned, or NULL.
 */
bool filter_check_others(struct session *session, const struct filter_plan *filter,
			 struct err *err);

/* Whether the plan that stands has a filter, and somebody else starts it. */
bool filter_is_of_others(const struct session *session);

/* Fails where one goes on after all of ours was taken out; `of_others`: as the plan had it. */
bool filter_check_left(const struct session *session, bool of_others, struct err *err);

#endif
