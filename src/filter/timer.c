/* timer.c: an event that comes after some time. */
#include "filter/timer.h"

#include "base/memory.h"

void timer_set(struct event *timer, uint64_t ms)
{
	const struct timeval interval = { .tv_sec = (time_t)(ms / 1000),
					  .tv_usec = (suseconds_t)(ms % 1000 * 1000) };

	/* Whoever was never told that the time is over would wait for ever. */
	if (event_add(timer, &interval))
		memory_exhausted();
}
