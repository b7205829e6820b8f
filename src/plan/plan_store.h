/* plan_store.h: rulesets as bytes, for plan_encode() and plan_decode(). */
#ifndef EGRESSFW_PLAN_PLAN_STORE_H
#define EGRESSFW_PLAN_PLAN_STORE_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "plan/ruleset.h"
#include "plan/store_value.h"

#include <stdbool.h>

/* A chain with its rules; whether its policy is to drop is not stored: ours never is. */
void store_chain(const struct chain *chain, struct buffer *out);

/*
 * All but the keys. Counters, handles and FOREIGN statements are not stored: only what we build is.
 */
void store_ruleset(const struct ruleset *ruleset, struct buffer *out);

/*
 * Holds the ruleset to what the builder can make: known names, verdicts last, no way from a chain
 * back to itself. What was read stands in *ret even when the answer is false: the caller frees it.
 */
bool load_ruleset(struct cursor *cursor, struct ruleset *ret);

/*
 * The keys of all sets, for a ruleset that was loaded; they must be sorted, and its comment its
 * digest.
 */
void store_keys(const struct ruleset *ruleset, struct buffer *out);
bool load_keys(struct cursor *cursor, struct ruleset *ruleset);

#endif
