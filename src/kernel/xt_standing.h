/* xt_standing.h: what the files of the verbs over legacy xtables share. */
#ifndef EGRESSFW_KERNEL_XT_STANDING_H
#define EGRESSFW_KERNEL_XT_STANDING_H

#include "kernel/xt.h"
#include "kernel/xt_link.h"

struct xt {
	struct xt_link link;
	bool families[2]; /* which are filtered, by enum family: those that have a table */
	struct xt_kernel kernel;
	unsigned timeout_ms;
	struct xt_notes notes;
};

/* The table of a family that is filtered, to be freed by xt_table_free(). */
bool xt_read_family(const struct xt *xt, enum family family, struct xt_table *ret, struct err *err);

#endif
