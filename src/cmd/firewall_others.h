/* firewall_others.h: the rules of the other instances that stand beside ours. */
#ifndef EGRESSFW_CMD_FIREWALL_OTHERS_H
#define EGRESSFW_CMD_FIREWALL_OTHERS_H

#include "cmd/firewall.h"

/* One table of another instance; of a pair of ip and ip6 each is one. */
struct other_rules {
	struct ruleset ruleset;
	bool beside; /* by the other back end */
};

struct others {
	struct other_rules *items;
	size_t count;
};

/* What stands by either back end. Our own table is none of them, in whatever family. */
bool firewall_read_others(struct firewall *firewall, struct others *ret, struct err *err);
void others_free(struct others *others);

/*
 * To each warning about the chain of another instance: which of the wanted ruleset's users that one
 * confines too. With CAP_NET_ADMIN in effect.
 */
bool firewall_name_shared_users(struct firewall *firewall, const struct ruleset *wanted,
				struct findings *findings, struct err *err);

/* Appends: the instance "N"; the instance without a name. */
void err_append_instance(struct err *err, const char *instance);

#endif
