/* resolver_lookup.h: from names to addresses, many at once. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_LOOKUP_H
#define EGRESSFW_SYSTEM_RESOLVER_LOOKUP_H

#include "base/err.h"
#include "plan/resolved.h"
#include "policy/policy.h"
#include "system/resolver_config.h"

#include <stdbool.h>
#include <stddef.h>

struct lookup_settings {
	unsigned timeout_ms; /* for all names together */
	unsigned names_max;  /* names under way at once, each with one question per family */
	unsigned retry_ms;
	/* Called four times a second while names are open; may be NULL. */
	void (*progress)(void *context, size_t open);
	void *context;
};

/*
 * Asks for A and AAAA of every name at the same time. *ret is in the order of the names and owns
 * copies of them. A name has the addresses that came, sorted, each once, those that may not be
 * pinned apart; of a name without addresses the status says why (see resolver.h). False only where
 * the transport cannot be opened.
 */
bool lookup_names(const struct policy *policy, const char *const *names, size_t count,
		  const struct nameservers *servers, const struct lookup_settings *settings,
		  struct resolved *ret, struct err *err);

#endif
