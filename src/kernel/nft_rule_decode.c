/* nft_rule_decode.c: from the expressions of a rule back to our statements. */
#include "kernel/nft_guess.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/*
 * Theory of operation. A statement is guessed from the few expressions that tell it, then expanded
 * again in the same context, and taken only where the result equals what was read, expression for
 * expression. So a guess may be careless; a statement that was taken is exact.
 */

static bool is_meta(const struct view *view, size_t index, uint32_t key)
{
	const struct expression *meta = at(view, index, EXPRESSION_META);

	return meta && meta->key == key;
}

/* How many expressions in front are `meta nfproto X` or `meta l4proto Y` comparisons. */
static size_t dependencies(const struct view *view)
{
	size_t index = 0;

	if (is_meta(view, index, NFT_META_NFPROTO) && at(view, index + 1, EXPRESSION_COMPARE))
		index += 2;
	if (is_meta(view, index, NFT_META_L4PROTO) && at(view, index + 1, EXPRESSION_COMPARE))
		index += 2;
	return index;
}

/* How many expressions of the view the statement stands for exactly; 0: it does not. */
static size_t confirm(const struct view *view, const struct statement *statement,
		      struct rule_context *context)
{
	struct expressions expanded = { 0 };
	struct rule_context after = *context;
	struct err ignored;
	size_t count = 0;

	if (statement_expand(statement, &after, &expanded, &ignored) &&
	    expanded.count <= view->count) {
		while (count < expanded.count &&
		       expression_equal(&expanded.items[count], &view->items[count]))
			count++;
		if (count < expanded.count)
			count = 0;
	}
	if (count)
		*context = after;
	expressions_free(&expanded);
	return count;
}

/* Reads one statement from the front of the view and returns how many expressions it took. */
static size_t decode_one(const struct view *view, struct rule_context *context,
			 struct statement *ret)
{
	size_t skip = dependencies(view), count;
	uint8_t protocol = context->protocols[0];

	if (skip >= view->count)
		skip = 0;
	if (skip && is_meta(view, skip - 2, NFT_META_L4PROTO))
		protocol = view->items[skip - 1].data[0];
	/* First with the dependencies as its own, then as statements by themselves. */
	for (;; skip = 0) {
		struct statement guessed = { 0 };

		if (guess(view, skip, protocol, &guessed)) {
			count = confirm(view, &guessed, context);
			if (count) {
				*ret = guessed;
				return count;
			}
		}
		rangeset_free(&guessed.ports);
		if (!skip)
			break;
	}
	*ret = (struct statement){ .kind = FOREIGN };
	memcpy(ret->name, view->items[0].text, sizeof(ret->name));
	return 1;
}

void rule_decode(enum table_family table, const struct expressions *expressions, struct rule *ret)
{
	struct rule_context context = rule_context(table);
	struct rule rule = { .statements = memory_allocate(expressions->count,
							   sizeof(*rule.statements)) };

	for (size_t i = 0; i < expressions->count;) {
		const struct view rest = { expressions->items + i, expressions->count - i };

		i += decode_one(&rest, &context, &rule.statements[rule.count++]);
	}
	*ret = rule;
}
