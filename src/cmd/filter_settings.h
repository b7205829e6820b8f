/* filter_settings.h: what the filter of a session is told. */
#ifndef EGRESSFW_CMD_FILTER_SETTINGS_H
#define EGRESSFW_CMD_FILTER_SETTINGS_H

#include "cmd/session.h"

/* Appends the settings that egressfilter(8) reads: one JSON object, with the policy in it. */
void filter_settings_print(const struct policy *policy, const struct filter_plan *filter,
			   struct buffer *out);

/*
 * Whether egressfilter(8) would take them, and as they are meant, as its own reader tells: before
 * anything is changed, and not by a filter that does not start.
 */
bool filter_settings_check(const struct filter_plan *filter, const struct buffer *settings,
			   struct err *err);

void filter_settings_digest(const struct buffer *settings, char ret[FILTER_DIGEST_SIZE]);

#endif
