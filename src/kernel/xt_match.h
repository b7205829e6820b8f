/* xt_match.h: the matches of an xtables entry, read as statements. */
#ifndef EGRESSFW_KERNEL_XT_MATCH_H
#define EGRESSFW_KERNEL_XT_MATCH_H

#include "base/cursor.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xt_entry_match;

/* The statements that one entry says, as far as it was read. */
struct xt_reading {
	enum table_family family;
	uint8_t protocol;
	bool protocol_said; /* a match implies it */
	struct statement statements[RULE_STATEMENTS_MAX];
	struct range ranges[RULE_STATEMENTS_MAX]; /* of their ports */
	size_t count;
};

/* More than a rule of ours may have are left out. */
void xt_reading_add(struct xt_reading *reading, struct statement statement);

/*
 * Adds what a match says, of which `head` is the beginning and `data` the rest. It is a guess: only
 * what our own rules ask is looked at, and a match that none of them has adds nothing.
 */
void xt_match_read(struct xt_reading *reading, const struct xt_entry_match *head,
		   struct cursor data);

#endif
