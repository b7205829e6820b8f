/* sock_owner.h: who opened the other end of a connection on loopback. */
#ifndef EGRESSFW_FILTER_SOCK_OWNER_H
#define EGRESSFW_FILTER_SOCK_OWNER_H

#include "policy/policy.h"

#include <stdbool.h>
#include <stdint.h>

struct sock_owner;

/*
 * Opens the kernel's link for it (sock_diag(7)), and asks for a listener of our own at `here`: a
 * kernel without it answers as if there were none. NULL: this kernel does not tell; then nobody is
 * known.
 */
struct sock_owner *sock_owner_open(const struct address_port *here);
void sock_owner_close(struct sock_owner *owner);

/*
 * Asks for the one TCP socket that has `peer` as its own end and `here` as its other one; the
 * kernel answers before the question is sent. False: it is closed already, nat has changed where it
 * leads, or nobody can tell. `owner` may be NULL.
 */
bool sock_owner_find(struct sock_owner *owner, const struct address_port *peer,
		     const struct address_port *here, uint32_t *ret);

/*
 * Whether nobody has that socket any more, so that nothing that is sent to it is read. False where
 * the kernel does not tell.
 */
bool sock_owner_is_gone(struct sock_owner *owner, const struct address_port *peer,
			const struct address_port *here);

#endif
