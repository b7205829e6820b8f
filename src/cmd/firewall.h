/* firewall.h: the kernel verbs with the capability raised around each, for every back end. */
#ifndef EGRESSFW_CMD_FIREWALL_H
#define EGRESSFW_CMD_FIREWALL_H

#include "base/err.h"
#include "cmd/options.h"
#include "kernel/connection_mark.h"
#include "kernel/nft.h"
#include "kernel/socket_end.h"
#include "kernel/xt.h"
#include "plan/finding.h"
#include "plan/ruleset.h"

#include <stdbool.h>

/*
 * Back end nft: one table of family inet, or, where the kernel has no inet family, a table of ip
 * and one of ip6; which of the two it is shows at the first commit, or by what stands. Back end xt:
 * chains in the legacy tables of both families. CAP_NET_ADMIN is in effect only inside these
 * functions.
 */
struct firewall {
	struct nft *nft; /* one of the two, while it is open */
	struct xt *xt;
	char table[RULESET_NAME_SIZE];
	bool split; /* ip and ip6 instead of inet */
	bool ipv6;  /* IPv6 is up: then ip6 must be filtered */
	unsigned timeout_ms;
	bool any_backend; /* none was named: what stands of ours in legacy xtables counts too */
	struct connections_marked marked; /* by the last commit */
	/* Whose refusals are counted with ours: tables of other instances. */
	struct counted_table *also;
	size_t also_count;
};

struct counted_table {
	enum table_family family;
	char table[RULESET_NAME_SIZE];
};

struct firewall_request {
	enum backend backend; /* auto: xt where the kernel says that it has no nf_tables */
	const char *table;
	bool ipv6;
	unsigned timeout_ms;
};

/* CAP_NET_RAW, which the back end xt may need for this alone, is given up in any case. */
bool firewall_open(const struct firewall_request *request, struct firewall *ret, struct err *err);
void firewall_close(struct firewall *firewall);

static inline bool firewall_is_open(const struct firewall *firewall)
{
	return firewall->nft || firewall->xt;
}

enum firewall_result {
	FIREWALL_COMMITTED,
	/*
	 * Refused for the log statement alone; nothing was changed. Build without it and try again.
	 */
	FIREWALL_NO_LOG,
	FIREWALL_REFUSED, /* nothing was changed */
	/* No answer, or a split commit broke off: the confined users are closed or as before. */
	FIREWALL_UNSURE,
};

/*
 * Marks what unconfined users have under way, and commits in one transaction; a generation that
 * moved meanwhile is tried again, bounded. *err is set unless committed.
 */
enum firewall_result firewall_commit(struct firewall *firewall, const struct ruleset *ruleset,
				     struct err *err);

/*
 * The inet table as it stands, decoded (of a pair one, without a comment where not both are whole).
 */
bool firewall_read(struct firewall *firewall, struct ruleset *ret, bool *ret_present,
		   struct err *err);

/*
 * Adds what differs from the ruleset, and warnings about other tables' chains on output, and about
 * ours that another back end left behind.
 */
bool firewall_verify(struct firewall *firewall, const struct ruleset *wanted,
		     struct findings *findings, struct err *err);

/* Whether the kernel counts what a rule refuses; gVisor does not. */
static inline bool firewall_counts(const struct firewall *firewall)
{
	return !firewall->xt || !xt_kernel(firewall->xt)->plain;
}

/* Whether a table of ours, or chains of ours in legacy xtables, stand, of whatever instance. */
bool firewall_any_stands(struct firewall *firewall, bool *ret, struct err *err);

/* From now on counts with ours what that table of another instance refuses. */
void firewall_count_also(struct firewall *firewall, const struct ruleset *other);

/* Packets that the chain "refuse" has counted. */
bool firewall_count_refused(struct firewall *firewall, uint64_t *ret_packets, struct err *err);

/*
 * Ends the confined users' sockets to places which the ruleset refuses; what cannot be ended loses
 * its mark.
 */
bool firewall_end_sockets(const struct ruleset *ruleset, unsigned timeout_ms,
			  struct sockets_ended *ret, struct err *err);

/* Deletes our table in all families, and where no back end was named those of both. */
bool firewall_remove(struct firewall *firewall, bool *ret_present, struct err *err);

#endif
