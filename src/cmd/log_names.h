/* log_names.h: by which name an address is pinned, as the plan that stands has it. */
#ifndef EGRESSFW_CMD_LOG_NAMES_H
#define EGRESSFW_CMD_LOG_NAMES_H

#include "base/address.h"
#include "plan/plan.h"
#include "system/state.h"

#include <stdbool.h>

/* Starts as { 0 }, with the state directory, which may be NULL: then nothing is known. */
struct log_names {
	struct state *state;
	struct plan plan;
	bool has_plan;
	struct state_version version; /* of the plan that was read */
};

/* The first name of the address, NULL where there is none; valid until the next call. */
const char *log_names_find(struct log_names *names, const struct address *address);
void log_names_free(struct log_names *names);

#endif
