/* resolver_sockets.h: the sockets that c-ares sends and receives by. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_SOCKETS_H
#define EGRESSFW_SYSTEM_RESOLVER_SOCKETS_H

#include "system/resolver_config.h"

#include <ares.h>

/*
 * From now on the channel's sockets are ours: close-on-exec and with room for many answers, to a
 * link-local server by its zone, and as good as new where an earlier datagram was refused or the
 * socket was ended. The channel has this one server, which must live as long
 * (ares_set_socket_functions(3)).
 */
void resolver_sockets(ares_channel channel, struct nameserver *server);

#endif
