/* dial_attempt.h: one address that is being connected to. */
#ifndef EGRESSFW_FILTER_DIAL_ATTEMPT_H
#define EGRESSFW_FILTER_DIAL_ATTEMPT_H

#include "base/address.h"

#include <event2/event.h>
#include <stdint.h>

enum attempt_status {
	ATTEMPT_CONNECTED,
	ATTEMPT_UNDER_WAY, /* done() will be called */
	ATTEMPT_FAILED,    /* the address cannot be connected to, by `errnum` */
	ATTEMPT_NO_SOCKET, /* it was not tried, by `errnum` of socket(2) */
};

struct attempt {
	struct address address;
	/* Called by an event, once it is no more under way: connected, or failed by `errnum`. */
	void (*done)(struct attempt *attempt);
	void *context;
	int errnum;          /* 0: connected */
	int descriptor;      /* -1: none */
	struct event *event; /* there exactly while it is under way */
};

/* Begins an attempt of which address, done and context are set. */
enum attempt_status attempt_start(struct attempt *attempt, struct event_base *base, uint16_t port);

/* The descriptor of one that is connected, which is the caller's from now on. */
int attempt_take(struct attempt *attempt);

/* Ends one that was started, whatever came of it; done() is not called. */
void attempt_stop(struct attempt *attempt);

#endif
