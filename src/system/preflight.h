/* preflight.h: what of this machine an apply must know before it changes anything; reads only. */
#ifndef EGRESSFW_SYSTEM_PREFLIGHT_H
#define EGRESSFW_SYSTEM_PREFLIGHT_H

#include "base/err.h"

#include <stdbool.h>

struct preflight {
	bool ipv6;               /* some interface of this network namespace can have an IPv6 address */
	bool host_network;       /* see below */
	char host_network_sign[128]; /* what showed it */
	bool foreign_user_namespace; /* the network namespace belongs to another user namespace than ours */
	char user_namespace_sign[128]; /* why, or why it could not be told */
};

/*
 * Host network: sysctls that only the initial network namespace has (net.core.netdev_max_backlog), or container bridges
 * (docker0, cni0, podman0, br-<12 hexadecimal digits>, virbr0) are there. User namespace: ioctl_ns(2) NS_GET_USERNS on
 * /proc/self/ns/net compared with /proc/self/ns/user; rules by uid would mean other people. What cannot be read is an error.
 */
bool preflight_read(struct preflight *ret, struct err *err);

#endif
