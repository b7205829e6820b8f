/* turn.h: how long one user may keep the others waiting before it is their turn. */
#ifndef EGRESSFW_FILTER_TURN_H
#define EGRESSFW_FILTER_TURN_H

#include "filter/client.h"

/*
 * Theory of operation. Everybody waits while a client is looked after, and in one turn of the event
 * loop each that has something to say is looked after once: a user with thousands of clients that
 * do so all the time would keep the others waiting for as long as all of these take. So in one turn
 * a user's clients are looked after for a few milliseconds together. For those that are left the
 * kernel, asked again in the next turn, says again that they have something to say; then they come
 * first, so that none is left out for ever.
 */

/*
 * At the beginning of a call by an event on one of the client's descriptors, with what the event
 * is; EV_TIMEOUT in it is one that was made active, which would not come again. False: not now, and
 * nothing is to be done.
 */
bool turn_begin(struct client *client, short what);

/* At the end of the call, when the client may be gone. */
void turn_end(struct filter *filter);

/*
 * A client of http.c that goes on without waiting for anything: http_resume() is called when it is
 * its turn. May be asked for twice. To be forgotten before http.c has the client no more.
 */
void turn_later(struct client *client);
void turn_forget(struct client *client);

/* Before the first client, with filter->base; after the last one. */
void turns_open(struct filter *filter);
void turns_close(struct filter *filter);

/* The event loop, until somebody breaks it. */
void turns_run(struct filter *filter);

#endif
