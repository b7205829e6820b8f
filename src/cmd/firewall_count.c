/* firewall_count.c: how many packets our rules have refused, and those of other instances that count. */
#include "cmd/firewall.h"

#include "base/memory.h"
#include "cmd/firewall_open.h"
#include "system/privilege.h"

#include <stdio.h>

static bool count_own(struct firewall *firewall, uint64_t *ret_packets, struct err *err)
{
	uint64_t sum = 0;

	if (firewall->xt)
		return xt_count_packets(firewall->xt, firewall->table, "refuse", ret_packets, err);
	if (!firewall->split)
		return nft_count_packets(firewall->nft, TABLE_INET, firewall->table, "refuse",
					 ret_packets, err);
	for (size_t i = 0; i < firewall_split_count(firewall); i++) {
		uint64_t packets;

		if (!nft_count_packets(firewall->nft, firewall_split_families[i], firewall->table,
				       "refuse", &packets, err))
			return false;
		sum += packets;
	}
	*ret_packets = sum;
	return true;
}

void firewall_count_also(struct firewall *firewall, const struct ruleset *other)
{
	struct counted_table table = { .family = other->family };

	snprintf(table.table, sizeof(table.table), "%s", other->table);
	firewall->also =
		memory_resize(firewall->also, firewall->also_count + 1, sizeof(*firewall->also));
	firewall->also[firewall->also_count++] = table;
}

static bool count_raised(struct firewall *firewall, uint64_t *ret_packets, struct err *err)
{
	uint64_t sum, packets;

	if (!count_own(firewall, &sum, err))
		return false;
	for (size_t i = 0; i < firewall->also_count; i++) {
		const struct counted_table *other = &firewall->also[i];

		if (firewall->xt
			    ? !xt_count_packets(firewall->xt, other->table, "refuse", &packets, err)
			    : !nft_count_packets(firewall->nft, other->family, other->table,
						 "refuse", &packets, err))
			return false;
		sum += packets;
	}
	*ret_packets = sum;
	return true;
}

bool firewall_count_refused(struct firewall *firewall, uint64_t *ret_packets, struct err *err)
{
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	return firewall_lowered(count_raised(firewall, ret_packets, err), err);
}
