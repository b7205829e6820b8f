/* feature.h: what of the firewall this kernel can do, asked without changing anything. */
#ifndef EGRESSFW_KERNEL_FEATURE_H
#define EGRESSFW_KERNEL_FEATURE_H

#include "base/err.h"

enum feature {
	FEATURE_NF_TABLES,
	FEATURE_INET,           /* tables of family inet */
	FEATURE_IP,             /* of ip */
	FEATURE_IP6,            /* of ip6 */
	FEATURE_OWNER,          /* rules that match the uid */
	FEATURE_RULESET,        /* the whole ruleset of a policy without network */
	FEATURE_LOG,            /* the log statement with a group */
	FEATURE_SOCKET_DESTROY, /* sockets can be ended; needs no privilege to be asked */
	FEATURES,
};

enum feature_state { FEATURE_UNKNOWN, FEATURE_THERE, FEATURE_MISSING, FEATURE_STATES };

/* Holds no pointer, so that one process can hand it to another as bytes. */
struct features {
	enum feature_state states[FEATURES];
	struct err reasons[FEATURES]; /* why one is unknown or missing, else "" */
};

/*
 * Sends the kernel transactions without an end: it checks every object, answers, and takes them
 * back before anybody can see them (nothing is committed, no generation passes, nothing is
 * announced). As at any such question the kernel may load modules that it needs for the answer. All
 * but the last needs CAP_NET_ADMIN in effect; without it they are unknown.
 */
void features_ask(unsigned timeout_ms, struct features *ret);

#endif
