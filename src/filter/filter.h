/* filter.h: what all clients of the running filter share. */
#ifndef EGRESSFW_FILTER_FILTER_H
#define EGRESSFW_FILTER_FILTER_H

#include "filter/settings.h"
#include "filter/share.h"

#include <event2/event.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

/*
 * Theory of operation. One process, one thread, one event loop; nothing in it waits, and no user's
 * clients have it for long (turn.h). A client is accepted (listener.h) and its first octets decide
 * (client.h): CONNECT is judged (judge.h), dialled (dial.h) and answered, and what comes then is
 * looked at until it is a TLS hello that suits (client_hello.h), whereupon octets are passed on
 * unseen (tunnel.h), or is HTTP in clear (http.h), as is every request that is no CONNECT. Each
 * request and each tunnel has one line in the decision log before any octet of it is passed on, and
 * where it was allowed another one at its end.
 *
 * Whoever holds a descriptor closes it. Functions that finish a client free it: their callers touch
 * neither it nor what belongs to it again.
 */
struct filter {
	struct event_base *base;
	struct settings settings; /* the policy in it changes at SIGHUP */
	uint32_t connections_max; /* as many as there are descriptors for */
	struct decision_log *log;
	struct names *names;
	struct sock_owner *owners;
	struct listener *listener;
	struct client_list clients;
	struct shares shares;
	struct event *later;  /* when those go on who do so when it is their turn (turn.h) */
	size_t client_count;  /* without those who are sent away */
	size_t refused_count; /* who are */
	size_t attempt_count; /* connections that are being opened */
};

#endif
