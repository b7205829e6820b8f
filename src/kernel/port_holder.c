/* port_holder.c: who has a TCP port, also without listening there. */
#include "kernel/port_holder.h"

#include "kernel/sock_diag.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

enum {
	/* Bound, and nothing besides (TCP_BOUND_INACTIVE of include/net/tcp_states.h). */
	BOUND = 13,
	/* TIME_WAIT keeps nobody out who says SO_REUSEADDR, and belongs to nobody. */
	HOLDING_STATES = ~(1 << TCP_TIME_WAIT),
};

struct search {
	const struct address_port *here;
	struct port_holder *holder;
	bool found;
};

static bool is_there(const struct search *search, const struct inet_diag_msg *socket)
{
	static const uint8_t any[16];
	size_t width = socket->idiag_family == AF_INET ? 4 : 16;

	if (ntohs(socket->id.idiag_sport) != search->here->port || !socket->idiag_inode)
		return false;
	/* All addresses of IPv6 are those of IPv4 too, unless the socket says that they are not. */
	if (!memcmp(socket->id.idiag_src, any, width))
		return socket->idiag_family == AF_INET6 ||
		       search->here->address.family == FAMILY_IPV4;
	return width == address_width(search->here->address.family) &&
	       !memcmp(socket->id.idiag_src, search->here->address.bytes, width);
}

static void take(void *context, uint8_t protocol, const struct inet_diag_msg *socket)
{
	struct search *search = context;

	(void)protocol;
	if (search->found || !is_there(search, socket))
		return;
	search->found = true;
	*search->holder = (struct port_holder){ socket->idiag_uid, socket->idiag_inode,
						socket->idiag_state == TCP_LISTEN };
}

bool port_holder_find(const struct address_port *here, unsigned timeout_ms, struct port_holder *ret)
{
	struct search search = { .here = here, .holder = ret };
	struct sock_diag link;

	if (sock_diag_open(timeout_ms, &link))
		return false;
	sock_diag_list_port(&link, here->port, (uint32_t)HOLDING_STATES, take, &search);
	sock_diag_close(&link);
	return search.found;
}
