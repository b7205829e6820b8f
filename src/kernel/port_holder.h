/* port_holder.h: who has a TCP port, also without listening there. */
#ifndef EGRESSFW_KERNEL_PORT_HOLDER_H
#define EGRESSFW_KERNEL_PORT_HOLDER_H

#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

struct port_holder {
	uint32_t uid;
	uint32_t inode; /* of the socket */
	bool listens;
};

/*
 * A socket that is bound there, or to the port at all addresses, and of which somebody has the
 * file: by the kernel's list (sock_diag(7)), which has those that neither listen nor are connected
 * since Linux 6.8. False: there is none, or nobody can tell.
 */
bool port_holder_find(const struct address_port *here, unsigned timeout_ms,
		      struct port_holder *ret);

#endif
