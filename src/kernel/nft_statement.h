/*
 * nft_statement.h: between the statements of a ruleset and the expressions that nft(8) makes of
 * them.
 */
#ifndef EGRESSFW_KERNEL_NFT_STATEMENT_H
#define EGRESSFW_KERNEL_NFT_STATEMENT_H

#include "base/err.h"
#include "kernel/nft_expression.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the matches so far have settled about the packet. Pure, as everything here. */
struct rule_context {
	enum table_family table;
	bool family_known; /* always in a table of one family */
	enum family family;
	uint8_t protocol_count; /* 0: any protocol */
	uint8_t protocols[STATEMENT_VALUES_MAX];
};

struct rule_context rule_context(enum table_family table);

/*
 * Appends the expressions of one statement, with the dependencies that the context lacks, and moves
 * the context on. False: it cannot stand there (another family, a reset without TCP, a negation nft
 * has no word for here, ...).
 */
bool statement_expand(const struct statement *statement, struct rule_context *context,
		      struct expressions *out, struct err *err);

/* Appends the expressions of a whole rule; an error names the statement. */
bool rule_expand(enum table_family table, const struct rule *rule, struct expressions *out,
		 struct err *err);

/*
 * The statements of these expressions: each one stands for exactly the expressions it was read
 * from, whatever fits no statement is FOREIGN. A dependency belongs to the match behind it. *ret is
 * fresh; its strings and ports are its own.
 */
void rule_decode(enum table_family table, const struct expressions *expressions, struct rule *ret);

#endif
