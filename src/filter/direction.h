/* direction.h: one direction of a tunnel: octets from one socket to another, unseen where nobody looks. */
#ifndef EGRESSFW_FILTER_DIRECTION_H
#define EGRESSFW_FILTER_DIRECTION_H

#include "base/buffer.h"
#include "filter/pipes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct direction;

/*
 * Looks at octets before they are passed on: direction->held is what was not looked at, or held
 * back. Moves what may pass by direction_pass(). False: the tunnel must end.
 */
typedef bool direction_inspect(void *context, struct direction *direction);

/*
 * A direction without octets under way holds no memory but this. Both descriptors are somebody
 * else's.
 */
struct direction {
	int from, to;
	struct buffer passed; /* copied, to be written from `written` on */
	size_t written;
	struct buffer held; /* for inspect */
	struct pipe_pair *pipe;
	size_t in_pipe;
	uint64_t octets;            /* passed on */
	bool ended;                 /* `from` has said its last */
	bool shut;                  /* and `to` was told */
	direction_inspect *inspect; /* NULL: octets are passed on unseen */
	void *context;
};

/* What a direction waits for. */
enum direction_wait {
	DIRECTION_READ,   /* `from` is readable */
	DIRECTION_WRITE,  /* `to` is writable */
	DIRECTION_OVER,   /* nothing: all was passed on and the end too */
	DIRECTION_BROKEN, /* nothing: a connection broke, or inspect refused */
};

/* Passes on what there is, for one turn: others want theirs. */
enum direction_wait direction_pump(struct direction *direction);

/* Octets that were read already and go out first. */
void direction_put(struct direction *direction, const void *octets, size_t length);

/* For inspect: the first `length` octets of `held` may go on. */
void direction_pass(struct direction *direction, size_t length);

/* Ends inspection: what was held goes on. */
void direction_release(struct direction *direction);

void direction_free(struct direction *direction);

#endif
