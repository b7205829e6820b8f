/* resolver_explain.h: which nameservers a failed look-up had, and what to do. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_EXPLAIN_H
#define EGRESSFW_SYSTEM_RESOLVER_EXPLAIN_H

#include "base/err.h"
#include "plan/resolved.h"

/*
 * Appends to the sentence of resolved_check() which servers of the file were asked or, where it has
 * none that can be used, so and why; where no server could be reached, how each failed; and what to
 * do about it. Nothing is sent. Where the file cannot be read nothing is appended.
 */
void resolver_explain(const char *resolv_conf, const struct resolved *resolved, struct err *err);

#endif
