/* xt_chain_name.c: what our chains are called in a legacy xtables table. */
#include "kernel/xt_table.h"

#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <string.h>

#define ANY_OF_OURS "egressfw"

/* Names that are too long for the kernel beside that of the instance. */
static const struct {
	const char *chain, *shorter;
} shortened[] = {
	{ CHAIN_CLOSING, "close" },
	{ CHAIN_CLOSING_LOOPBACK, "close-lo" },
	{ CHAIN_CLOSING_REFUSE, "close-no" },
};
enum { SHORTENED = sizeof(shortened) / sizeof(*shortened) };

bool xt_chain_is_ours(const char *chain, const char *table)
{
	size_t length = strlen(table ? table : ANY_OF_OURS);
	char after;

	if (strncmp(chain, table ? table : ANY_OF_OURS, length) != 0)
		return false;
	after = chain[length];
	return !after || after == '/' || after == '#' || (!table && after == '-');
}

void xt_chain_name(const char *table, const char *chain, char ret[XT_NAME_SIZE])
{
	const char *name = chain;

	for (size_t i = 0; i < SHORTENED; i++)
		if (!strcmp(chain, shortened[i].chain))
			name = shortened[i].shorter;
	if (strcmp(chain, CHAIN_OUTPUT) != 0)
		snprintf(ret, XT_NAME_SIZE, "%.18s/%.10s", table, name);
	else
		snprintf(ret, XT_NAME_SIZE, "%.18s", table);
}

const char *xt_chain_of(const char *table, const char *name)
{
	const char *rest = name + strlen(table);

	if (!*rest)
		return CHAIN_OUTPUT;
	for (size_t i = 0; i < SHORTENED; i++)
		if (!strcmp(rest + 1, shortened[i].shorter))
			return shortened[i].chain;
	return rest + 1;
}
