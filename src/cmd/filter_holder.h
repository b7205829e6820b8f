/* filter_holder.h: who has a place where the filter should listen. */
#ifndef EGRESSFW_CMD_FILTER_HOLDER_H
#define EGRESSFW_CMD_FILTER_HOLDER_H

#include "base/err.h"
#include "plan/filter_plan.h"

/*
 * " (process 1234, python3)": which process of the uid has the socket there, or with what it can be
 * found; "" where nobody can tell.
 */
struct holder_text {
	char text[64];
};
struct holder_text filter_holder_text(const struct address_port *here, uint32_t uid);

#define FILTER_LISTEN_ADVICE "name another place by --filter-listen"

/* To a sentence that says that an address is taken: by whom, also where that one does not listen. */
void filter_name_holder(const struct filter_plan *filter, struct err *err);

#endif
