/* reading.h: octets of a client, read until they are enough or their time is over. */
#ifndef EGRESSFW_FILTER_READING_H
#define EGRESSFW_FILTER_READING_H

#include "filter/client.h"

#include <event2/event_struct.h>
#include <stdbool.h>
#include <stdint.h>

enum reading_outcome {
	READING_SOME,   /* there are more octets than before */
	READING_FULL,   /* the limit is reached */
	READING_LATE,   /* the time is over */
	READING_ENDED,  /* the client has said its last */
	READING_BROKEN, /* the connection broke */
};

/* Called by an event. May stop the reading, and free what it is part of. */
typedef void reading_call(void *context, enum reading_outcome outcome);

struct reading {
	struct client *client;
	size_t limit;
	struct buffer octets;
	struct event readable, deadline;
	bool paused;
	reading_call *call;
	void *context;
};

/*
 * `octets` are those that were read already: with some, the first call is made at once by an event.
 */
void reading_start(struct reading *reading, struct client *client, size_t limit, uint64_t limit_ms,
		   const void *octets, size_t length, reading_call *call, void *context);

/*
 * No more calls; the octets stay. To be called before somebody else reads, or closes, the
 * descriptor.
 */
void reading_stop(struct reading *reading);

/*
 * The same while the descriptor is nobody else's: costs less where reading is stopped soon, since
 * the kernel is told only if something comes.
 */
void reading_pause(struct reading *reading);

void reading_free(struct reading *reading);

#endif
