/* firewall.c: the kernel verbs with the capability raised around each, for every back end. */
#include "cmd/firewall.h"

#include "base/memory.h"
#include "cmd/firewall_open.h"
#include "cmd/firewall_others.h"
#include "plan/report.h"
#include "plan/ruleset_build.h"
#include "system/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How often a commit is tried again because somebody else committed in between. */
enum { STALE_TRIES = 64 };

const enum table_family firewall_split_families[] = { TABLE_IP, TABLE_IP6 };
static const enum table_family all_families[] = { TABLE_INET, TABLE_IP, TABLE_IP6 };

bool firewall_lowered(bool result, struct err *err)
{
	struct err inner;

	if (privilege_lower(&inner))
		return result;
	if (result)
		*err = inner;
	return false;
}

size_t firewall_split_count(const struct firewall *firewall)
{
	return firewall->ipv6 ? 2 : 1;
}

static bool commit_once(struct firewall *firewall, const struct ruleset *ruleset,
			enum commit_status *ret_status, struct refusal *ret_refusal,
			struct err *err)
{
	struct ruleset narrow[2] = { { 0 }, { 0 } };
	uint32_t generation;
	bool good;

	*ret_status = COMMIT_UNKNOWN;
	if (!nft_generation(firewall->nft, &generation, err))
		return false;
	if (!firewall->split)
		return nft_commit(firewall->nft, ruleset, 1, generation, ret_status, ret_refusal,
				  err);
	for (size_t i = 0; i < firewall_split_count(firewall); i++)
		ruleset_narrow(ruleset, firewall_split_families[i], &narrow[i]);
	good = nft_commit(firewall->nft, narrow, firewall_split_count(firewall), generation,
			  ret_status, ret_refusal, err);
	ruleset_free(&narrow[0]);
	ruleset_free(&narrow[1]);
	return good;
}

/* Whether the kernel said that it does not know tables of family inet. */
static bool is_inet_missing(const struct refusal *refusal)
{
	return refusal->object == REFUSED_TABLE &&
	       (refusal->errnum == EAFNOSUPPORT || refusal->errnum == EOPNOTSUPP ||
		refusal->errnum == EPROTONOSUPPORT || refusal->errnum == ENOENT);
}

static enum firewall_result commit_raised(struct firewall *firewall, const struct ruleset *ruleset,
					  struct err *err)
{
	for (int tries = 0; tries < STALE_TRIES; tries++) {
		enum commit_status status;
		struct refusal refusal = { 0 };

		if (commit_once(firewall, ruleset, &status, &refusal, err))
			return FIREWALL_COMMITTED;
		switch (status) {
		case COMMIT_DONE:
		case COMMIT_STALE:
			continue;
		case COMMIT_UNKNOWN:
		case COMMIT_PARTIAL:
			return FIREWALL_UNSURE;
		case COMMIT_REFUSED:
			if (!firewall->split && is_inet_missing(&refusal)) {
				firewall->split = true;
				continue;
			}
			return refusal.log_statement ? FIREWALL_NO_LOG : FIREWALL_REFUSED;
		}
	}
	err_set(err, "other programs changed the kernel's tables at each of %d tries", STALE_TRIES);
	return FIREWALL_REFUSED;
}

static enum firewall_result commit_xt(struct firewall *firewall, const struct ruleset *ruleset,
				      struct err *err)
{
	if (!xt_kernel(firewall->xt)->log && report_count(ruleset).log) {
		err_set(err, "this kernel's xtables have no log group");
		return FIREWALL_NO_LOG;
	}
	switch (xt_commit(firewall->xt, ruleset, err)) {
	case XT_COMMITTED:
		return FIREWALL_COMMITTED;
	case XT_REFUSED:
		return FIREWALL_REFUSED;
	case XT_UNSURE:
		break;
	}
	return FIREWALL_UNSURE;
}

enum firewall_result firewall_commit(struct firewall *firewall, const struct ruleset *ruleset,
				     struct err *err)
{
	struct connections_marked marked;
	enum firewall_result result;

	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return FIREWALL_REFUSED;
	/* Before: what an unconfined user closed is being sent, and must go on. */
	if (connections_mark(ruleset, firewall->timeout_ms, &marked, err)) {
		firewall->marked = marked;
		result = firewall->xt ? commit_xt(firewall, ruleset, err)
				      : commit_raised(firewall, ruleset, err);
	} else {
		result = FIREWALL_REFUSED;
	}
	if (!firewall_lowered(result == FIREWALL_COMMITTED, err) && result == FIREWALL_COMMITTED)
		return FIREWALL_UNSURE;
	return result;
}

static bool stands(struct firewall *firewall, enum table_family family, bool *ret, struct err *err)
{
	char **names;
	size_t count;

	if (!nft_list_ours(firewall->nft, family, &names, &count, err))
		return false;
	*ret = false;
	for (size_t i = 0; i < count; i++) {
		*ret = *ret || !strcmp(names[i], firewall->table);
		free(names[i]);
	}
	free(names);
	return true;
}

/* A kernel without the inet family has our table in the ip family. */
static bool find_layout(struct firewall *firewall, struct err *err)
{
	bool inet, ip;

	if (firewall->split)
		return true;
	if (!stands(firewall, TABLE_INET, &inet, err))
		return false;
	if (inet)
		return true;
	if (!stands(firewall, TABLE_IP, &ip, err))
		return false;
	firewall->split = ip;
	return true;
}

static bool find_beside(const struct firewall *firewall, struct findings *findings, struct err *err)
{
	struct xt *xt = firewall_open_beside(firewall);
	struct ruleset standing = { 0 };
	bool present = false, good = !xt || xt_read(xt, firewall->table, &standing, &present, err);

	if (good && present)
		findings_add(
			findings, FINDING_FOREIGN_CHAIN,
			memory_format("chain %s of legacy xtables", firewall->table),
			memory_copy_string("is ours, from an apply with --backend xt, and confines "
					   "users as well; remove takes it out"));
	ruleset_free(&standing);
	xt_close(xt);
	return good;
}

static bool verify_raised(struct firewall *firewall, const struct ruleset *wanted,
			  struct findings *findings, struct err *err)
{
	if (firewall->xt)
		return xt_verify(firewall->xt, wanted, findings, err);
	if (!find_layout(firewall, err))
		return false;
	if (!firewall->split) {
		if (!nft_verify(firewall->nft, wanted, findings, err))
			return false;
	} else {
		for (size_t i = 0; i < firewall_split_count(firewall); i++) {
			struct ruleset narrow;
			bool good;

			ruleset_narrow(wanted, firewall_split_families[i], &narrow);
			good = nft_verify(firewall->nft, &narrow, findings, err);
			ruleset_free(&narrow);
			if (!good)
				return false;
		}
	}
	return nft_foreign_output_chains(firewall->nft, firewall->table, findings, err) &&
	       firewall_name_shared_users(firewall, wanted, findings, err) &&
	       find_beside(firewall, findings, err);
}

bool firewall_verify(struct firewall *firewall, const struct ruleset *wanted,
		     struct findings *findings, struct err *err)
{
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	return firewall_lowered(verify_raised(firewall, wanted, findings, err), err);
}

bool firewall_end_sockets(const struct ruleset *ruleset, unsigned timeout_ms,
			  struct sockets_ended *ret, struct err *err)
{
	bool good;

	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	good = sockets_end(ruleset, timeout_ms, ret, err);
	if (good && (ret->unsupported || ret->left))
		good = connections_unmark(ruleset, timeout_ms, err);
	return firewall_lowered(good, err);
}

static bool remove_beside(struct firewall *firewall, bool *ret_present, struct err *err)
{
	struct xt *xt = firewall_open_beside(firewall);
	bool present = false, good = !xt || xt_remove(xt, firewall->table, &present, err);

	xt_close(xt);
	*ret_present = *ret_present || present;
	return good;
}

static bool remove_raised(struct firewall *firewall, bool *ret_present, struct err *err)
{
	bool any = false;

	if (firewall->xt)
		return xt_remove(firewall->xt, firewall->table, ret_present, err);
	for (size_t i = 0; i < sizeof(all_families) / sizeof(*all_families); i++) {
		bool present;

		if (!nft_remove(firewall->nft, all_families[i], firewall->table, &present, err))
			return false;
		any = any || present;
	}
	*ret_present = any;
	return remove_beside(firewall, ret_present, err);
}

bool firewall_remove(struct firewall *firewall, bool *ret_present, struct err *err)
{
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, err))
		return false;
	return firewall_lowered(remove_raised(firewall, ret_present, err), err);
}
