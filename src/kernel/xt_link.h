/* xt_link.h: the sockets by which legacy xtables are read and replaced, and iptables' lock. */
#ifndef EGRESSFW_KERNEL_XT_LINK_H
#define EGRESSFW_KERNEL_XT_LINK_H

#include "base/err.h"
#include "kernel/xt_table.h"

#include <stdbool.h>

/* Of the table "filter". Every function needs CAP_NET_ADMIN in effect. */
struct xt_link {
	int sockets[2]; /* by enum family */
	int errnums[2]; /* why there is none, where it is -1 */
};

enum xt_presence {
	XT_PRESENT,
	XT_ABSENT, /* no such family or no such table; *err says which */
	XT_FAILED,
};

/* `raw`: by raw sockets, which need CAP_NET_RAW in effect; Linux takes any socket. */
void xt_link_open(bool raw, struct xt_link *ret);
void xt_link_close(struct xt_link *link);

/* The table as it stands. */
enum xt_presence xt_link_read(const struct xt_link *link, enum family family, struct xt_table *ret,
			      struct err *err);

/*
 * Replaces `old` by it in one step, and gives the entries that were kept their counters back, as
 * they were when the old table ceased. The kernel refuses where the number of entries has changed
 * since `old` was read: 0, else an error number (EAGAIN for that). *ret_counters_lost becomes true
 * where they could not be given back, and is left alone otherwise.
 */
int xt_link_replace(const struct xt_link *link, const struct xt_table *old,
		    const struct xt_replacement *replacement, bool *ret_counters_lost);

/* What the kernel's xtables know, as far as they tell; false: a piece that is needed is missing. */
bool xt_link_ask(const struct xt_link *link, enum family family, struct xt_kernel *ret,
		 struct err *err);

/*
 * The lock that iptables(8) takes (flock of /run/xtables.lock), without which two programs would
 * overwrite each other's rules. *ret is its descriptor, or -1 where the file cannot be there: then
 * *err says why and the call succeeds. False: somebody held it for all of the time.
 */
bool xt_lock(unsigned timeout_ms, int *ret, struct err *err);

#endif
