/* timer.h: an event that comes after some time. */
#ifndef EGRESSFW_FILTER_TIMER_H
#define EGRESSFW_FILTER_TIMER_H

#include <event2/event.h>
#include <stdint.h>

/* Sets a timer to go off once, in so many milliseconds, whatever it was set to before. */
void timer_set(struct event *timer, uint64_t ms);

#endif
