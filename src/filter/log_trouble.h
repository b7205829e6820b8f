/* log_trouble.h: why the decision log cannot be written: kept for who asks, and said once. */
#ifndef EGRESSFW_FILTER_LOG_TROUBLE_H
#define EGRESSFW_FILTER_LOG_TROUBLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A client can fill up what the log is on and so bring it about again and again: said no more often
 * than this.
 */
enum { LOG_TROUBLE_PAUSE_MS = 60 * 1000 };

struct log_trouble {
	const char *path;              /* of the log; borrowed */
	void (*say)(const char *text); /* NULL: nobody hears it */
	char text[ERR_TEXT_SIZE];      /* "" where there is none */
	bool said;                     /* of this one */
	uint64_t next_ms;              /* when the next one may be said */
};

/*
 * Keeps and says "PATH: the decision log cannot be written", then `why` (NULL: nothing) and the
 * name of the error number (0: none), and what to do about it. Always false.
 */
bool log_trouble_set(struct log_trouble *trouble, int errnum, const char *why);

/* It is over. */
void log_trouble_end(struct log_trouble *trouble);

#endif
