/* firewall_open.h: what the files of the kernel verbs share. */
#ifndef EGRESSFW_CMD_FIREWALL_OPEN_H
#define EGRESSFW_CMD_FIREWALL_OPEN_H

#include "base/err.h"
#include "cmd/firewall.h"

#include <stdbool.h>

/* Lowers what was raised; a step that succeeded and cannot give the capability back has failed. */
bool firewall_lowered(bool result, struct err *err);

/* Legacy xtables beside nf_tables; NULL: none, or none in which a rule of ours could stand. */
struct xt *firewall_open_beside(const struct firewall *firewall);

/* The same where a back end was named; and nf_tables beside xtables, *ret NULL where there are none. */
struct xt *firewall_open_xt_beside(const struct firewall *firewall);
bool firewall_open_nft_beside(const struct firewall *firewall, struct nft **ret, struct err *err);

/*
 * The families whose tables take the place of one of family inet, and how many of them are ours to
 * write: ip6 may be missing only where IPv6 is.
 */
extern const enum table_family firewall_split_families[2];
size_t firewall_split_count(const struct firewall *firewall);

#endif
