/* ruleset_print.h: a ruleset as text that nft -f accepts. */
#ifndef EGRESSFW_PLAN_RULESET_PRINT_H
#define EGRESSFW_PLAN_RULESET_PRINT_H

#include "plan/ruleset.h"

/*
 * Appends the whole table. Loaded by `nft -f` it becomes the same expressions as the encoder's.
 * Counters print as the bare word, so that plan and kernel print alike.
 */
void ruleset_print(const struct ruleset *ruleset, struct buffer *out);

/*
 * Appends one rule of a table of the family, as a finding names it; or one statement of it, as it
 * stands in a rule that has no MATCH_PROTOCOL before it.
 */
void rule_print(const struct rule *rule, enum table_family family, struct buffer *out);
void statement_print(const struct statement *statement, enum table_family family,
		     struct buffer *out);

/* Appends element `index` of the set: "1500", "100000-165535", "203.0.113.5", "198.51.100.0/24". */
void set_print_element(const struct set *set, size_t index, struct buffer *out);

#endif
