/* sockets.h: addresses as the kernel has them, and what every socket of the filter is set to. */
#ifndef EGRESSFW_FILTER_SOCKETS_H
#define EGRESSFW_FILTER_SOCKETS_H

#include "policy/policy.h"

#include <stdbool.h>
#include <sys/socket.h>

/* Fills in *ret and returns its length. */
socklen_t socket_address(const struct address_port *from, struct sockaddr_storage *ret);

/* False: another family. */
bool socket_address_read(const struct sockaddr_storage *from, struct address_port *ret);

/* A non-blocking TCP socket of that family; -1 with errno. */
int socket_open(enum family family);

/* False with errno: EALREADY where it is under way, which one that can be written ends. */
bool socket_connect(int descriptor, const struct address_port *to);

/* Binds one that will listen there, or could; false with errno. */
bool socket_bind(int descriptor, const struct address_port *here);

/*
 * What is written goes out at once. For a connected one, or for one that listens, whose clients
 * then are so from the start (tcp(7)).
 */
void socket_settle(int descriptor);

/*
 * Closing it will reset the connection: who is at its other end must not take what came for the
 * whole.
 */
void socket_reset(int descriptor);

/* The descriptors of this process are used up, or the machine's, or its memory for sockets. */
bool socket_is_exhausted(int errnum);

#endif
