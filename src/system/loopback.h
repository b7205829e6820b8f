/* loopback.h: what of loopback this network namespace has, and who listens there. */
#ifndef EGRESSFW_SYSTEM_LOOPBACK_H
#define EGRESSFW_SYSTEM_LOOPBACK_H

#include "base/err.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a socket can be bound to the address. */
bool loopback_has(const struct address *address);

#define LOOPBACK_DOWN "the interface lo is down (ip link set lo up)"

/* Whether the interface lo is known to be down (netdevice(7)). Needs no privilege. */
bool loopback_is_down(void);

/*
 * Who listens on TCP at exactly this address and port, by the kernel's own list. *ret_uid is that
 * of the socket; *ret_found false: nobody does.
 */
bool loopback_listener(const struct address_port *listen, uint32_t *ret_uid, bool *ret_found,
		       struct err *err);

/*
 * A TCP listener of the uid that loopback leads to, at another address and port than these.
 * *ret_found false: there is none.
 */
bool loopback_listener_besides(uint32_t uid, const struct address_ports *these,
			       struct address_port *ret, bool *ret_found, struct err *err);

#endif
