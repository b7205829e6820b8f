/* filter_plans.h: the filters of the plans that are kept, of this instance and of the others. */
#ifndef EGRESSFW_CMD_FILTER_PLANS_H
#define EGRESSFW_CMD_FILTER_PLANS_H

#include "cmd/session.h"

/* The filter of another instance, as its plan in the same state directory has it. */
struct neighbour {
	char *instance;
	struct filter_plan filter;
};

struct filter_plans {
	struct filter_plan kept; /* of this instance; .uid 0: it has none, or is not there */
	struct neighbour *items;
	size_t count;
};

/* A plan that cannot be read is none. */
void filter_plans_read(const struct session *session, struct filter_plans *ret);
void filter_plans_free(struct filter_plans *plans);

/* The filter of this instance's plan; false: there is none. */
bool filter_plan_read_kept(const struct session *session, struct filter_plan *ret);

/* The other instance whose filter is this user's and listens there; NULL: none. */
const struct neighbour *filter_plans_find(const struct filter_plans *plans,
					  const struct address_port *here, uint32_t uid);

#endif
