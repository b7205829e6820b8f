/*
 * fuzz_xt.c: any bytes as a legacy xtables table: refused, or a table whose chains of ours are read,
 * taken out and put in again, where they read the same.
 */
#include "kernel/xt_table.h"
#include "plan/ruleset_compare.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The table that a replacement would be in the kernel; whatever we write we must be able to read. */
static struct xt_table table_of(enum table_family family, struct xt_replacement *replacement)
{
	struct xt_table table;
	struct err err;

	if (!xt_table_parse(family, &replacement->info, replacement->bytes.data,
			    replacement->bytes.length, &table, &err))
		abort();
	xt_replacement_free(replacement);
	return table;
}

static bool has_foreign(const struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->chain_count; i++)
		for (size_t j = 0; j < ruleset->chains[i].count; j++)
			if (ruleset->chains[i].rules[j].statements[0].kind == FOREIGN)
				return true;
	return false;
}

/* What was read holds no FOREIGN rule, so it can be put into the table that is left without it. */
static void put_again(const struct xt_table *without, const struct ruleset *ours,
		      const struct xt_kernel *kernel)
{
	struct xt_replacement replacement;
	struct xt_table again;
	struct ruleset found;
	struct err err;

	if (!xt_table_replace(without, "egressfw", ours, kernel, &replacement, &err))
		return;
	again = table_of(without->family, &replacement);
	if (!xt_table_read(&again, "egressfw", kernel, &found))
		abort();
	ruleset_free(&found);
	xt_table_free(&again);
}

static void try_table(const struct xt_table *table, const struct xt_kernel *kernel)
{
	struct xt_replacement replacement;
	struct ruleset ours;
	struct err err;
	bool present = xt_table_read(table, "egressfw", kernel, &ours);

	xt_table_count(table, "egressfw", "refuse");
	if (xt_table_replace(table, "egressfw", NULL, kernel, &replacement, &err)) {
		struct xt_table without = table_of(table->family, &replacement);
		struct ruleset none;

		if (xt_table_read(&without, "egressfw", kernel, &none))
			abort();
		if (present && !has_foreign(&ours))
			put_again(&without, &ours, kernel);
		xt_table_free(&without);
	}
	if (present)
		ruleset_free(&ours);
}

/* The first byte chooses family and kernel; what IPT_SO_GET_INFO says comes next, then the entries. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct xt_kernel kernels[] = { { .reject = true, .log = true, .conntrack = true,
						      .connmark_2 = true },
						    { .plain = true } };
	struct xt_info info;
	struct xt_table table;
	struct err err;

	if (size < 1 + sizeof(info))
		return 0;
	memcpy(&info, data + 1, sizeof(info));
	if (xt_table_parse(data[0] & 1 ? TABLE_IP6 : TABLE_IP, &info, data + 1 + sizeof(info),
			   size - 1 - sizeof(info), &table, &err)) {
		try_table(&table, &kernels[data[0] >> 1 & 1]);
		xt_table_free(&table);
	}
	return 0;
}
