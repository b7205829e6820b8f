/* firewall_others.c: the rules of the other instances that stand beside ours. */
#include "cmd/firewall_others.h"

#include "base/memory.h"
#include "cmd/firewall_open.h"
#include "plan/plan.h"
#include "plan/ruleset_shared.h"
#include "system/privilege.h"

#include <stdlib.h>
#include <string.h>

void others_free(struct others *others)
{
	for (size_t i = 0; i < others->count; i++)
		ruleset_free(&others->items[i].ruleset);
	free(others->items);
	*others = (struct others){ 0 };
}

void err_append_instance(struct err *err, const char *instance)
{
	if (*instance)
		err_append(err, "the instance \"%s\"", instance);
	else
		err_append(err, "the instance without a name");
}

static void add(struct others *others, struct ruleset *ruleset, bool beside)
{
	others->items = memory_resize(others->items, others->count + 1, sizeof(*others->items));
	others->items[others->count++] = (struct other_rules){ *ruleset, beside };
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static bool is_other(const char *name, const char *own)
{
	return strcmp(name, own) != 0 && plan_table_instance(name);
}

static bool read_nft(struct nft *nft, const char *own, bool beside, struct others *others,
		     struct err *err)
{
	bool good = true;

	for (enum table_family family = TABLE_INET; good && family <= TABLE_IP6; family++) {
		char **names;
		size_t count;

		if (!nft_list_ours(nft, family, &names, &count, err))
			return false;
		for (size_t i = 0; good && i < count; i++) {
			struct ruleset ruleset;
			uint32_t generation;
			bool present = false;

			good = !is_other(names[i], own) || nft_read(nft, family, names[i], &ruleset,
								    &present, &generation, err);
			if (good && present)
				add(others, &ruleset, beside);
		}
		free_names(names, count);
	}
	return good;
}

static bool read_xt(struct xt *xt, const char *own, bool beside, struct others *others,
		    struct err *err)
{
	char **names;
	size_t count;
	bool good = true;

	if (!xt_list_ours(xt, &names, &count, err))
		return false;
	for (size_t i = 0; good && i < count; i++) {
		struct ruleset ruleset;
		bool present = false;

		good = !is_other(names[i], own) || xt_read(xt, names[i], &ruleset, &present, err);
		if (good && present)
			add(others, &ruleset, beside);
	}
	free_names(names, count);
	return good;
}

/* By the back end that is not ours; NULL both: the kernel has none. */
struct other_backend {
	struct nft *nft;
	struct xt *xt;
};

static bool read_raised(struct firewall *firewall, const struct other_backend *beside,
			struct others *others, struct err *err)
{
	const char *own = firewall->table;

	return (!firewall->nft || read_nft(firewall->nft, own, false, others, err)) &&
	       (!firewall->xt || read_xt(firewall->xt, own, false, others, err)) &&
	       (!beside->nft || read_nft(beside->nft, own, true, others, err)) &&
	       (!beside->xt || read_xt(beside->xt, own, true, others, err));
}

bool firewall_read_others(struct firewall *firewall, struct others *ret, struct err *err)
{
	struct other_backend beside = { .nft = NULL };
	struct others others = { 0 };
	bool good = !firewall->xt || firewall_open_nft_beside(firewall, &beside.nft, err);

	if (!good || !privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	if (firewall->nft)
		beside.xt = firewall_open_xt_beside(firewall);
	good = firewall_lowered(read_raised(firewall, &beside, &others, err), err);
	if (beside.nft)
		nft_close(beside.nft);
	xt_close(beside.xt);
	if (good)
		*ret = others;
	else
		others_free(&others);
	return good;
}

/* What they have of both. */
static void append_reach(const struct ruleset *wanted, const struct ruleset *other,
			 const struct rangeset *shared, struct buffer *out)
{
	struct reached_filter filter;
	char address[ADDRESS_TEXT_SIZE];

	if (!ruleset_reaches_filter(other, shared, wanted, &filter) &&
	    !ruleset_reaches_filter(wanted, shared, other, &filter))
		buffer_append_text(out, " as well, who reaches only what both allow");
	else
		buffer_printf(out,
			      " as well, who by the filter at %s port %u reaches what one of the "
			      "two forbids: confine each user by one instance",
			      address_format(&filter.place.address, address), filter.place.port);
}

static void name_users(const struct ruleset *wanted, const struct ruleset *other,
		       const struct rangeset *shared, struct findings *findings)
{
	autofree char *object = memory_format("chain output of table %s %s",
					      table_family_name(other->family), other->table);

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];
		struct buffer detail = { 0 };

		if (finding->kind != FINDING_OTHER_INSTANCE || strcmp(finding->object, object))
			continue;
		buffer_printf(&detail, "%s; it confines uid ", finding->detail);
		rangeset_print(shared, &detail);
		append_reach(wanted, other, shared, &detail);
		free(finding->detail);
		finding->detail = buffer_steal(&detail);
	}
}

bool firewall_name_shared_users(struct firewall *firewall, const struct ruleset *wanted,
				struct findings *findings, struct err *err)
{
	struct others others = { 0 };
	bool good = true, any = false;

	for (size_t i = 0; i < findings->count; i++)
		any = any || findings->items[i].kind == FINDING_OTHER_INSTANCE;
	if (any)
		good = read_nft(firewall->nft, firewall->table, false, &others, err);
	for (size_t i = 0; good && i < others.count; i++) {
		const struct ruleset *other = &others.items[i].ruleset;
		struct rangeset shared = ruleset_shared_users(wanted, other);

		if (shared.count)
			name_users(wanted, other, &shared, findings);
		rangeset_free(&shared);
	}
	others_free(&others);
	return good;
}
