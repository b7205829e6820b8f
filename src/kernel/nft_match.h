/* nft_match.h: the matches of a rule as the expressions that nft(8) makes of them. */
#ifndef EGRESSFW_KERNEL_NFT_MATCH_H
#define EGRESSFW_KERNEL_NFT_MATCH_H

#include "kernel/nft_statement.h"

/* statement_expand() for the MATCH_* kinds. */
bool match_expand(const struct statement *statement, struct rule_context *context,
		  struct expressions *out, struct err *err);

/* Those among them that look into a header. */
bool match_header(const struct statement *statement, struct rule_context *context,
		  struct expressions *out, struct err *err);

/* Looks the loaded register up in the named set of the statement. */
bool match_set(const struct statement *statement, struct expressions *out, struct err *err);

#endif
