/* xt_commit.c: our chains of both families are replaced, or of none; or taken out. */
#include "kernel/xt.h"

#include "base/memory.h"
#include "kernel/xt_standing.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Theory of operation. Everything that can fail in our own hands (reading, lowering, encoding, the
 * limits) is done for both families before the first of them is replaced. What the kernel refuses
 * after that for the second family puts the first one back as it was, under the same lock.
 */
enum { STALE_TRIES = 64 };

/* One family on its way: as it stood, and as it shall stand. */
struct change {
	bool wanted;
	struct xt_table old;
	struct xt_replacement new;
};

static void free_changes(struct change changes[2])
{
	for (size_t i = 0; i < 2; i++) {
		xt_table_free(&changes[i].old);
		xt_replacement_free(&changes[i].new);
	}
}

/* `inet` NULL: without ours. */
static bool prepare(struct xt *xt, enum family family, const char *name, const struct ruleset *inet,
		    struct change *change, struct err *err)
{
	struct ruleset ours = { 0 };
	bool good;

	if (inet && !ruleset_lower(inet, family == FAMILY_IPV6 ? TABLE_IP6 : TABLE_IP, &xt->kernel,
				   &ours, err))
		return false;
	good = xt_read_family(xt, family, &change->old, err) &&
	       xt_table_replace(&change->old, name, inet ? &ours : NULL, &xt->kernel, &change->new,
				err);
	ruleset_free(&ours);
	return change->wanted = good;
}

/* The table as it was, over the new one; what others' entries counted meanwhile stays. */
static bool put_back(struct xt *xt, const struct change *change)
{
	struct xt_table now = { .family = change->old.family, .info = change->new.info };
	struct xt_replacement back = {
		.info = change->old.info,
		.kept = memory_allocate(change->old.info.entries, sizeof(*back.kept)),
	};
	int errnum;

	for (uint32_t i = 0; i < change->old.info.entries; i++)
		back.kept[i] = SIZE_MAX;
	for (uint32_t i = 0; i < change->new.info.entries; i++)
		if (change->new.kept[i] != SIZE_MAX)
			back.kept[change->new.kept[i]] = i;
	buffer_append(&back.bytes, change->old.bytes, change->old.info.size);
	errnum = xt_link_replace(&xt->link, &now, &back, &xt->notes.counters_lost);
	xt_replacement_free(&back);
	return !errnum;
}

/* *ret_stale: somebody who does not take the lock was quicker. */
static enum xt_committed replace_all(struct xt *xt, const struct change changes[2], bool *ret_stale,
				     struct err *err)
{
	*ret_stale = false;
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6; family++) {
		int errnum = 0;

		if (changes[family].wanted)
			errnum = xt_link_replace(&xt->link, &changes[family].old,
						 &changes[family].new, &xt->notes.counters_lost);
		if (!errnum)
			continue;
		*ret_stale = errnum == EAGAIN;
		err_set_errno(err, errnum, "the kernel refuses the rules of %s (xtables)",
			      family_name(family));
		if (errnum == EINVAL && !xt->kernel.plain)
			err_append(err, "; in a user namespace it takes only uids that are mapped");
		if (family == FAMILY_IPV4 || !changes[FAMILY_IPV4].wanted ||
		    put_back(xt, &changes[FAMILY_IPV4]))
			return XT_REFUSED;
		*ret_stale = false;
		err_append(err, ", and those of IPv4 could not be put back");
		return XT_UNSURE;
	}
	return XT_COMMITTED;
}

static enum xt_committed change_once(struct xt *xt, const char *name, const struct ruleset *inet,
				     bool *ret_stale, struct err *err)
{
	struct change changes[2] = { 0 };
	enum xt_committed result = XT_REFUSED;
	bool good = true;

	*ret_stale = false;
	for (enum family family = FAMILY_IPV4; family <= FAMILY_IPV6 && good; family++)
		if (xt->families[family])
			good = prepare(xt, family, name, inet, &changes[family], err);
	if (good)
		result = replace_all(xt, changes, ret_stale, err);
	free_changes(changes);
	return result;
}

static enum xt_committed change_locked(struct xt *xt, const char *name, const struct ruleset *inet,
				       struct err *err)
{
	enum xt_committed result;
	bool stale;

	for (int tries = 0; tries < STALE_TRIES; tries++) {
		result = change_once(xt, name, inet, &stale, err);
		if (!stale)
			return result;
	}
	err_set(err, "other programs changed the kernel's tables at each of %d tries", STALE_TRIES);
	return XT_REFUSED;
}

static bool lock(struct xt *xt, int *ret, struct err *err)
{
	struct err why = { "" };

	if (!xt_lock(xt->timeout_ms, ret, &why)) {
		*err = why;
		return false;
	}
	xt->notes.no_lock = why;
	return true;
}

static enum xt_committed change(struct xt *xt, const char *name, const struct ruleset *inet,
				struct err *err)
{
	enum xt_committed result;
	int descriptor;

	if (!lock(xt, &descriptor, err))
		return XT_REFUSED;
	result = change_locked(xt, name, inet, err);
	if (descriptor >= 0)
		close(descriptor);
	return result;
}

enum xt_committed xt_commit(struct xt *xt, const struct ruleset *ruleset, struct err *err)
{
	return change(xt, ruleset->table, ruleset, err);
}

bool xt_remove(struct xt *xt, const char *table, bool *ret_present, struct err *err)
{
	struct ruleset standing;
	bool present;

	if (!xt_read(xt, table, &standing, &present, err))
		return false;
	ruleset_free(&standing);
	if (present && change(xt, table, NULL, err) != XT_COMMITTED)
		return false;
	*ret_present = present;
	return true;
}
