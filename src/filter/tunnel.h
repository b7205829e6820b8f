/* tunnel.h: two sockets whose octets are passed on both ways, each end by itself. */
#ifndef EGRESSFW_FILTER_TUNNEL_H
#define EGRESSFW_FILTER_TUNNEL_H

#include "filter/client.h"
#include "filter/client_hello.h"

/* What a tunnel begins with. Octets and texts are copied; the decision has been logged. */
struct tunnel_start {
	int upstream; /* the tunnel's, from now on */
	struct record record;
	const void *to_upstream, *to_client; /* go out first */
	size_t up_length, down_length;
	const struct client_hello *hello; /* NULL, or a second one must have its name */
	const void *behind_hello;         /* read already, to be watched */
	size_t behind_length;
};

/* Takes the client over. It may be gone when this returns. */
void tunnel_start(struct client *client, const struct tunnel_start *start);

/* For client_end(): `decision` is why, NULL where the filter ends. Logs the end, frees. */
void tunnel_stop(struct tunnel *tunnel, const struct decision *decision);

/* What is logged of it: where it leads is in there. It stands as long as the tunnel. */
const struct record *tunnel_record(const struct tunnel *tunnel);

#endif
