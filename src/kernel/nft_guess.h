/* nft_guess.h: which statement of ours expressions may be, from the few that tell it. */
#ifndef EGRESSFW_KERNEL_NFT_GUESS_H
#define EGRESSFW_KERNEL_NFT_GUESS_H

#include "kernel/nft_statement.h"

#include <linux/netfilter/nf_tables.h>

/* What of a rule's expressions has not been read yet. */
struct view {
	const struct expression *items;
	size_t count;
};

/*
 * What the statement may be that begins the view; `skip` dependencies stand before what tells it,
 * `protocol` is what they or the context say. A guess may be careless: whether it is right shows
 * when it is expanded again. *ret begins empty; its ports are the caller's whatever is returned.
 */
bool guess(const struct view *view, size_t skip, uint8_t protocol, struct statement *ret);

/* The same of one that looks into a header, which `index` loads. */
bool guess_header(const struct view *view, size_t index, uint8_t protocol, struct statement *ret);

/* The expression `index` of the view if it is of the kind, else NULL. */
static inline const struct expression *at(const struct view *view, size_t index,
					  enum expression_kind kind)
{
	return index < view->count && view->items[index].kind == kind ? &view->items[index] : NULL;
}

/* The values of a comparison or of an anonymous set, as MATCH_PROTOCOL and its like hold them. */
bool guess_bytes(const struct view *view, size_t index, struct statement *ret);

/* The same of ports, which make it a statement of that kind. */
bool guess_ports(const struct view *view, size_t index, enum statement_kind kind,
		 struct statement *ret);

#endif
