/* dial.h: from a judged target to a connected socket: resolved once, every address judged, then dialled. */
#ifndef EGRESSFW_FILTER_DIAL_H
#define EGRESSFW_FILTER_DIAL_H

#include "filter/filter.h"
#include "policy/decide.h"

enum dial_status {
	DIAL_CONNECTED,
	DIAL_UNRESOLVED,    /* the name has no address, or the name servers fail: 502 */
	DIAL_FORBIDDEN,     /* every address of the name is refused by the policy: 403 */
	DIAL_FAILED,        /* no address could be connected to: 502 */
	DIAL_TIMED_OUT,     /* connect_ms passed: 504 */
	DIAL_NO_DESCRIPTOR, /* this process or the machine has no descriptor left: 503 */
	DIAL_NO_NAME,       /* too many names are being looked up: 503 */
};

struct dial_result {
	enum dial_status status;
	int descriptor;   /* DIAL_CONNECTED: the receiver's, non-blocking; else -1 */
	bool has_address; /* DIAL_CONNECTED, DIAL_FAILED, DIAL_FORBIDDEN: the last one tried */
	struct address address;
	struct decision decision; /* DIAL_FORBIDDEN: what the log and the answer say */
	const char *reason;       /* a short constant sentence, for log and answer */
};

struct dial;
typedef void dial_done(void *context, const struct dial_result *result);

/*
 * Dials a target that was judged, for a client of this share, who outlasts it. Calls `done` once,
 * never before dial_start() has returned, and has freed itself by then. Both families are tried,
 * IPv6 first, the next address a quarter of a second after the one before or as soon as that has
 * failed; whoever is first wins (RFC 8305).
 */
struct dial *dial_start(struct filter *filter, struct share *share, const struct target *target,
			dial_done *done, void *context);

/* `done` will not be called. */
void dial_cancel(struct dial *dial);

/* The status of the answer: 502, 504, 503 or 403. */
unsigned dial_answer_status(enum dial_status status);

#endif
