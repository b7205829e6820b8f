/* xt_shape.h: the names and structures of the xtables matches and targets that rules are made of. */
#ifndef EGRESSFW_KERNEL_XT_SHAPE_H
#define EGRESSFW_KERNEL_XT_SHAPE_H

/* The C library's first: the kernel's headers then leave out what both have. */
#include <net/if.h>
#include <netinet/in.h>

#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/x_tables.h>
#include <linux/netfilter/xt_NFLOG.h>
#include <linux/netfilter/xt_addrtype.h>
#include <linux/netfilter/xt_connmark.h>
#include <linux/netfilter/xt_conntrack.h>
#include <linux/netfilter/xt_owner.h>
#include <linux/netfilter/xt_tcpudp.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv4/ipt_REJECT.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netfilter_ipv6/ip6t_REJECT.h>
#include <stdint.h>

/* Their revisions: what Linux has had since 2.6.25 (addrtype 1 and conntrack 3 since 2.6.39). */
enum {
	XT_OWNER_REVISION = 1,
	XT_CONNMARK_REVISION = 1,
	XT_ADDRTYPE_REVISION = 1,
	XT_CONNTRACK_REVISION = 3,
};

#define XT_MATCH_OWNER "owner"
#define XT_MATCH_TCP "tcp"
#define XT_MATCH_UDP "udp"
#define XT_MATCH_ICMP "icmp"
#define XT_MATCH_ICMP6 "icmp6"
#define XT_MATCH_ADDRTYPE "addrtype"
#define XT_MATCH_CONNMARK "connmark"
#define XT_MATCH_CONNTRACK "conntrack"
#define XT_TARGET_CONNMARK "CONNMARK"
#define XT_TARGET_NFLOG "NFLOG"
#define XT_TARGET_REJECT "REJECT"

/* Revision 0 of the owner match, which left Linux with 2.6.36 and which gVisor has. */
struct xt_owner_0 {
	uint32_t uid, gid, pid, sid;
	char command[16];
	uint8_t match, invert;
};

/* "What a packet's user compares with" when it only has to have one (meta skuid). */
enum { XT_UID_LAST = 0xfffffffe };

#endif
