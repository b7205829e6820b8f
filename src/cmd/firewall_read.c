/* firewall_read.c: what stands of ours, by whatever back end, as one ruleset. */
#include "cmd/firewall.h"
#include "cmd/firewall_open.h"
#include "system/privilege.h"

#include <stdlib.h>

/* Adds to what was read of ip: without a comment where ip6 is not whole besides. */
static bool check_other_half(struct firewall *firewall, struct ruleset *half, struct err *err)
{
	struct ruleset other = { 0 };
	uint32_t generation;
	bool present;

	if (!nft_read(firewall->nft, TABLE_IP6, firewall->table, &other, &present, &generation,
		      err))
		return false;
	if (present ? !ruleset_is_intact(&other) : firewall_split_count(firewall) > 1)
		half->comment[0] = '\0';
	ruleset_free(&other);
	return true;
}

static bool read_raised(struct firewall *firewall, struct ruleset *ret, bool *ret_present,
			struct err *err)
{
	struct ruleset found = { 0 };
	uint32_t generation;
	bool present;

	if (firewall->xt)
		return xt_read(firewall->xt, firewall->table, ret, ret_present, err);
	if (!nft_read(firewall->nft, TABLE_INET, firewall->table, ret, ret_present, &generation,
		      err))
		return false;
	if (*ret_present)
		return true;
	if (!nft_read(firewall->nft, TABLE_IP, firewall->table, &found, &present, &generation, err))
		return false;
	if (present && !check_other_half(firewall, &found, err)) {
		ruleset_free(&found);
		return false;
	}
	firewall->split = firewall->split || present;
	*ret = found;
	*ret_present = present;
	return true;
}

bool firewall_read(struct firewall *firewall, struct ruleset *ret, bool *ret_present,
		   struct err *err)
{
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	return firewall_lowered(read_raised(firewall, ret, ret_present, err), err);
}

static bool any_beside(const struct firewall *firewall, bool *ret, struct err *err)
{
	struct xt *xt = firewall_open_beside(firewall);
	bool good = !xt || xt_any_stands(xt, ret, err);

	xt_close(xt);
	return good;
}

static bool any_raised(struct firewall *firewall, bool *ret, struct err *err)
{
	static const enum table_family families[] = { TABLE_INET, TABLE_IP, TABLE_IP6 };
	bool any = false;

	if (firewall->xt)
		return xt_any_stands(firewall->xt, ret, err);
	if (!any_beside(firewall, &any, err))
		return false;
	for (size_t i = 0; !any && i < sizeof(families) / sizeof(*families); i++) {
		char **names;
		size_t count;

		if (!nft_list_ours(firewall->nft, families[i], &names, &count, err))
			return false;
		any = count > 0;
		for (size_t j = 0; j < count; j++)
			free(names[j]);
		free(names);
	}
	*ret = any;
	return true;
}

bool firewall_any_stands(struct firewall *firewall, bool *ret, struct err *err)
{
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	return firewall_lowered(any_raised(firewall, ret, err), err);
}
