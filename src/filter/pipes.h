/* pipes.h: pipes for splice(2), lent to whoever has octets under way. */
#ifndef EGRESSFW_FILTER_PIPES_H
#define EGRESSFW_FILTER_PIPES_H

struct pipe_pair {
	int read, write;
	struct pipe_pair *next; /* of those that wait in the pool */
};

/* No more than this many at the same time. */
void pipes_limit(unsigned most);

/* Takes an empty pipe out of the pool, or makes one. NULL: there are as many as may be. */
struct pipe_pair *pipes_take(void);

/* Gives an empty pipe back. */
void pipes_give(struct pipe_pair *pipe);

/* Closes a pipe that still has octets in it. */
void pipes_discard(struct pipe_pair *pipe);

#endif
