/* listener.h: where clients come in: accepted within the limits, and not while there is no room. */
#ifndef EGRESSFW_FILTER_LISTENER_H
#define EGRESSFW_FILTER_LISTENER_H

#include "filter/filter.h"

struct listener;

/*
 * Binds and listens at every address of the settings; nothing is accepted yet. *ret_taken, set where
 * it is false: another socket has the address.
 */
bool listener_open(struct filter *filter, struct listener **ret, bool *ret_taken, struct err *err);

/* Begins to accept. */
void listener_start(struct listener *listener);

/* A client has gone: where accepting has paused for want of room it goes on. */
void listener_room(struct listener *listener);

void listener_close(struct listener *listener);

#endif
