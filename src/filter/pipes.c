/* pipes.c: pipes for splice(2), lent to whoever has octets under way. */
#include "filter/pipes.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	POOL_MAX = 32, /* pipes that wait for work */
	PIPE_SIZE =
		256 * 1024, /* where the user's share of pipe memory has it; else the usual size */
};

static struct {
	struct pipe_pair *first;
	unsigned count; /* of those that wait */
	unsigned all, most;
} pool;

void pipes_limit(unsigned most)
{
	pool.most = most;
}

struct pipe_pair *pipes_take(void)
{
	struct pipe_pair *pipe = pool.first;
	int ends[2];

	if (pipe) {
		pool.first = pipe->next;
		pool.count--;
		return pipe;
	}
	if (pool.all >= pool.most || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return NULL;
	pool.all++;
	/* One that stays small only needs more calls. */
	(void)!fcntl(ends[1], F_SETPIPE_SZ, PIPE_SIZE);
	pipe = memory_allocate(1, sizeof(*pipe));
	pipe->read = ends[0];
	pipe->write = ends[1];
	return pipe;
}

void pipes_give(struct pipe_pair *pipe)
{
	if (pool.count == POOL_MAX) {
		pipes_discard(pipe);
		return;
	}
	pipe->next = pool.first;
	pool.first = pipe;
	pool.count++;
}

void pipes_discard(struct pipe_pair *pipe)
{
	pool.all--;
	close(pipe->read);
	close(pipe->write);
	free(pipe);
}
