/* probe_attempt.h: one attempt to reach one target, as whoever this process is. */
#ifndef EGRESSFW_SYSTEM_PROBE_ATTEMPT_H
#define EGRESSFW_SYSTEM_PROBE_ATTEMPT_H

#include "plan/probe.h"

#include <stdbool.h>
#include <stdint.h>

struct probe_answer {
	int errnum;           /* of what refused it; 0: connected, or the datagram was taken */
	bool timed_out;       /* errnum is then ETIMEDOUT */
	bool sent;            /* UDP: send(2) succeeded, whatever came back afterwards */
	bool answered;        /* something came back: a connection, a datagram, a refusal */
	uint16_t source_port; /* 0: it did not come to that */
	uint64_t elapsed_us;
};

/* Socket, port, attempt. Whatever fails on the way is the attempt's result. */
struct probe_answer probe_attempt(const struct probe *probe, unsigned timeout_ms);

/* The monotonic clock, and poll(2) for one descriptor until then; 0: time is over. */
uint64_t probe_now_us(void);
short probe_wait(int descriptor, short events, uint64_t deadline_us);

#endif
