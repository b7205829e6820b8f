/* preflight.h: what of this machine an apply must know before it changes anything; reads only. */
#ifndef EGRESSFW_SYSTEM_PREFLIGHT_H
#define EGRESSFW_SYSTEM_PREFLIGHT_H

#include "base/err.h"

#include <stdbool.h>

enum { PREFLIGHT_SIGN_SIZE = 128 };

struct preflight {
	bool ipv6; /* an interface of this network namespace has, or can have, an IPv6 address */
	bool host_network;                           /* see below */
	char host_network_sign[PREFLIGHT_SIGN_SIZE]; /* what showed it; else "" */
	bool foreign_user_namespace; /* the network namespace belongs to another user namespace */
	char user_namespace_sign[PREFLIGHT_SIGN_SIZE]; /* why, or why it could not be told; else ""
							*/
	/*
	 * It could not be told, but uids are in this user namespace what they are in the first one:
	 * rules by uid mean these users where the kernel compares the first one's.
	 */
	bool first_uids;
};

/*
 * Host network: sysctls that only the initial network namespace has (net.core.netdev_max_backlog),
 * or container bridges (docker0, cni0, podman0, br-<12 hexadecimal digits>, virbr0) are there. User
 * namespace: ioctl_ns(2) NS_GET_USERNS on /proc/self/ns/net compared with /proc/self/ns/user; rules
 * by uid would mean other people. Where a kernel cannot tell, it counts as foreign, and
user_namespaces(7) uid_map is looked at. What cannot be
 * read is an error. Needs no privilege.
 */
bool preflight_read(struct preflight *ret, struct err *err);

#endif
