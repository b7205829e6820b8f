/* xt.h: legacy xtables behind a few verbs: commit, read, verify, remove, count. */
#ifndef EGRESSFW_KERNEL_XT_H
#define EGRESSFW_KERNEL_XT_H

#include "base/err.h"
#include "plan/finding.h"
#include "plan/ruleset.h"
#include "plan/ruleset_lower.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * For kernels without nf_tables. Every function needs CAP_NET_ADMIN in effect, over the user
 * namespace that owns the network namespace. Ours are chains in the table "filter" of IPv4 and of
 * IPv6, each replaced in one step, both or neither. While they are read and written iptables' lock
 * is held. Nothing else in these tables is changed.
 */
struct xt;

enum xt_opened {
	XT_OPENED,
	XT_OPEN_WANTS_RAW, /* only by raw sockets, if at all */
	XT_OPEN_FAILED,
};

/*
 * `raw`: by raw sockets, which need CAP_NET_RAW in effect too; gVisor answers no others. `ipv6`:
 * IPv6 is up, and a kernel that has no table for it is a failure. Asks for everything that the
 * rules need; *err names the module that is missing.
 */
enum xt_opened xt_open(bool raw, bool ipv6, unsigned timeout_ms, struct xt **ret, struct err *err);
void xt_close(struct xt *xt);

/*
 * Whether the table "filter" of either family is there already. To ask by xt_open() would load it.
 * Needs no capability but uid 0 (/proc/net/ip_tables_names).
 */
bool xt_is_loaded(void);

const struct xt_kernel *xt_kernel(const struct xt *xt);

/* What went otherwise than one would like and is no failure; zero at first. */
struct xt_notes {
	struct err no_lock; /* why iptables' lock could not be taken; "" where it was */
	bool counters_lost; /* those of other rules could not be given back */
};
const struct xt_notes *xt_notes(const struct xt *xt);

enum xt_committed {
	XT_COMMITTED,
	XT_REFUSED, /* nothing was changed */
	XT_UNSURE,  /* one family could not be put back: its users are closed or as before */
};

/* Puts an inet ruleset in place of ours that stands, in both families or in none. */
enum xt_committed xt_commit(struct xt *xt, const struct ruleset *ruleset, struct err *err);

/*
 * What stands of IPv4, in the form of ruleset_lower(), without a comment where IPv6 is not whole or
 * not there at all. *ret_present false: neither family has anything of ours.
 */
bool xt_read(struct xt *xt, const char *table, struct ruleset *ret, bool *ret_present,
	     struct err *err);

/* Whether either family has a chain of ours, of whatever instance. */
bool xt_any_stands(struct xt *xt, bool *ret, struct err *err);

/*
 * The names of all tables of which chains of ours stand in either family. The caller frees each and
 * the array.
 */
bool xt_list_ours(struct xt *xt, char ***ret_names, size_t *ret_count, struct err *err);

/* Adds what differs in each family from an inet ruleset. */
bool xt_verify(struct xt *xt, const struct ruleset *wanted, struct findings *findings,
	       struct err *err);

/* The packets of both families that rules of the chain have dropped or rejected. */
bool xt_count_packets(struct xt *xt, const char *table, const char *chain, uint64_t *ret_packets,
		      struct err *err);

/* Takes ours out of both families; *ret_present tells whether there was anything. */
bool xt_remove(struct xt *xt, const char *table, bool *ret_present, struct err *err);

#endif
