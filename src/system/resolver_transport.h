/* resolver_transport.h: DNS messages to a nameserver and back, over UDP or TCP. */
#ifndef EGRESSFW_SYSTEM_RESOLVER_TRANSPORT_H
#define EGRESSFW_SYSTEM_RESOLVER_TRANSPORT_H

#include "base/err.h"
#include "system/resolver_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * c-ares has its only user here. It owns the sockets, sends a question again after retry_ms, twice,
 * four times, eight times that, and hands over the first answer that has the number and question of
 * what was asked and comes from the address that was asked. Which server is asked is the caller's
 * business; nothing of the environment, of resolv.conf or of the hosts file is looked at.
 */
enum { TRANSPORT_TRIES = 5 };

enum transport_outcome {
	TRANSPORT_ANSWER,
	TRANSPORT_TIMEOUT,     /* no answer in all tries */
	TRANSPORT_UNREACHABLE, /* nobody listens there, or there is no route */
};

/* What comes of a message; called once for each, perhaps before transport_send() has returned. */
typedef void transport_receive(void *ask, enum transport_outcome outcome, const uint8_t *bytes,
			       size_t length);

struct transport;

bool transport_open(const struct nameservers *servers, unsigned retry_ms,
		    transport_receive *receive, struct transport **ret, struct err *err);
/* Messages still under way come back as TRANSPORT_TIMEOUT. */
void transport_close(struct transport *transport);

/* Readable (poll(2)) when transport_wait() has something to do. The transport's own. */
int transport_descriptor(const struct transport *transport);

/* Sends the message to the server of this index; `edns` is whether it ends with an EDNS record. */
void transport_send(struct transport *transport, size_t server, bool edns, const void *message,
		    size_t length, void *ask);

/* Waits for answers, at most timeout_ms, and hands them over. */
void transport_wait(struct transport *transport, unsigned timeout_ms);

#endif
