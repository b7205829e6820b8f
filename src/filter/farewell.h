/* farewell.h: the last answer of a client, and the quiet time behind it. */
#ifndef EGRESSFW_FILTER_FAREWELL_H
#define EGRESSFW_FILTER_FAREWELL_H

#include "filter/client.h"

void farewell_start(struct client *client, const void *answer, size_t length);
void farewell_stop(struct farewell *farewell);

#endif
