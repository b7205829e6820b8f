/* xt.c: legacy xtables: opened, read, compared, counted. */
#include "kernel/xt.h"

#include "base/memory.h"
#include "kernel/xt_standing.h"
#include "plan/ruleset_compare.h"
#include "plan/ruleset_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both families have to know it. */
static void add_kernel(struct xt_kernel *all, const struct xt_kernel *one, bool first)
{
	if (first) {
		*all = *one;
		return;
	}
	all->plain = all->plain || one->plain;
	all->reject = all->reject && one->reject;
	all->log = all->log && one->log;
	all->connmark_2 = all->connmark_2 && one->connmark_2;
	all->conntrack = all->conntrack && one->conntrack;
}

/* Whether the family is to be filtered goes to xt->families; false: it must be and cannot. */
static bool find_family(struct xt *xt, enum family family, bool needed, bool *ret_wants_raw,
			struct err *err)
{
	struct xt_kernel kernel;
	struct xt_table table;

	switch (xt_link_read(&xt->link, family, &table, err)) {
	case XT_PRESENT:
		xt_table_free(&table);
		if (!xt_link_ask(&xt->link, family, &kernel, err))
			return false;
		add_kernel(&xt->kernel, &kernel, family == FAMILY_IPV4);
		return xt->families[family] = true;
	case XT_ABSENT:
		/* Where one family is answered, it is not for want of a raw socket. */
		*ret_wants_raw = needed && family == FAMILY_IPV4;
		return !needed;
	case XT_FAILED:
		break;
	}
	return false;
}

enum xt_opened xt_open(bool raw, bool ipv6, unsigned timeout_ms, struct xt **ret, struct err *err)
{
	struct xt *xt = memory_allocate(1, sizeof(*xt));
	bool wants_raw = false;

	xt->timeout_ms = timeout_ms;
	xt_link_open(raw, &xt->link);
	if (find_family(xt, FAMILY_IPV4, true, &wants_raw, err) &&
	    find_family(xt, FAMILY_IPV6, ipv6, &wants_raw, err)) {
		*ret = xt;
		return XT_OPENED;
	}
	xt_close(xt);
	return wants_raw && !raw ? XT_OPEN_WANTS_RAW : XT_OPEN_FAILED;
}

void xt_close(struct xt *xt)
{
	if (!xt)
		return;
	xt_link_close(&xt->link);
	free(xt);
}

const struct xt_kernel *xt_kernel(const struct xt *xt)
{
	return &xt->kernel;
}

const struct xt_notes *xt_notes(const struct xt *xt)
{
	return &xt->notes;
}

bool xt_read_family(const struct xt *xt, enum family family, struct xt_table *ret, struct err *err)
{
	return xt_link_read(&xt->link, family, ret, err) == XT_PRESENT;
}

/* What stands of one family; empty where there is nothing. */
static bool read_ours(const struct xt *xt, enum family family, const char *name,
		      struct ruleset *ret, bool *ret_present, struct err *err)
{
	struct xt_table table;

	if (!xt_read_family(xt, family, &table, err))
		return false;
	*ret_present = xt_table_read(&table, name, &xt->kernel, ret);
	xt_table_free(&table);
	return true;
}

bool xt_read(struct xt *xt, const char *table, struct ruleset *ret, bool *ret_present,
	     struct err *err)
{
	struct ruleset ours[2] = { { 0 }, { 0 } };
	bool present[2] = { false, false }, whole = true;
	enum family shown;

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		if (!xt->families[family])
			continue;
		if (!read_ours(xt, family, table, &ours[family], &present[family], err)) {
			ruleset_free(&ours[FAMILY_IPV4]);
			return false;
		}
		whole = whole && present[family] && ruleset_is_intact(&ours[family]);
	}
	shown = present[FAMILY_IPV4] ? FAMILY_IPV4 : FAMILY_IPV6;
	ruleset_free(&ours[!shown]);
	if (!whole)
		ours[shown].comment[0] = '\0';
	*ret = ours[shown];
	*ret_present = present[shown];
	return true;
}

static bool has_any_of_ours(const struct xt_table *table)
{
	for (uint32_t i = 0; i < table->info.entries; i++)
		if (table->entries[i].head &&
		    xt_chain_is_ours(table->entries[i].chain, XT_ANY_TABLE))
			return true;
	return false;
}

bool xt_any_stands(struct xt *xt, bool *ret, struct err *err)
{
	bool any = false;

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		struct xt_table table;

		if (!xt->families[family])
			continue;
		if (!xt_read_family(xt, family, &table, err))
			return false;
		any = any || has_any_of_ours(&table);
		xt_table_free(&table);
	}
	*ret = any;
	return true;
}

/* Each has one chain whose name is its own. */
static void add_names(const struct xt_table *table, char ***names, size_t *count)
{
	for (uint32_t i = 0; i < table->info.entries; i++) {
		const char *chain = table->entries[i].chain;
		bool known = !table->entries[i].head || !xt_chain_is_ours(chain, XT_ANY_TABLE) ||
			     strpbrk(chain, "/#");

		for (size_t j = 0; !known && j < *count; j++)
			known = !strcmp((*names)[j], chain);
		if (known)
			continue;
		*names = memory_resize(*names, *count + 1, sizeof(**names));
		(*names)[(*count)++] = memory_copy_string(chain);
	}
}

bool xt_list_ours(struct xt *xt, char ***ret_names, size_t *ret_count, struct err *err)
{
	struct xt_table tables[2];
	char **names = NULL;
	size_t count = 0, read = 0;
	bool good = true;

	for (enum family family = FAMILY_IPV4; good && family <= FAMILY_IPV6; family++) {
		if (!xt->families[family])
			continue;
		good = xt_read_family(xt, family, &tables[read], err);
		read += good;
	}
	for (size_t i = 0; i < read; i++) {
		if (good)
			add_names(&tables[i], &names, &count);
		xt_table_free(&tables[i]);
	}
	*ret_names = names;
	*ret_count = count;
	return good;
}

static bool verify_family(struct xt *xt, enum family family, const struct ruleset *inet,
			  struct findings *findings, struct err *err)
{
	struct ruleset wanted, found = { 0 };
	bool present, good;

	if (!ruleset_lower(inet, family == FAMILY_IPV6 ? TABLE_IP6 : TABLE_IP, &xt->kernel, &wanted,
			   err))
		return false;
	good = read_ours(xt, family, inet->table, &found, &present, err);
	if (good)
		ruleset_compare(&wanted, &found, findings);
	ruleset_free(&wanted);
	ruleset_free(&found);
	return good;
}

bool xt_verify(struct xt *xt, const struct ruleset *wanted, struct findings *findings,
	       struct err *err)
{
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++)
		if (xt->families[family] && !verify_family(xt, family, wanted, findings, err))
			return false;
	return true;
}

bool xt_count_packets(struct xt *xt, const char *table, const char *chain, uint64_t *ret_packets,
		      struct err *err)
{
	uint64_t packets = 0;

	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		struct xt_table found;

		if (!xt->families[family])
			continue;
		if (!xt_read_family(xt, family, &found, err))
			return false;
		packets += xt_table_count(&found, table, chain);
		xt_table_free(&found);
	}
	*ret_packets = packets;
	return true;
}
