/* log_full.h: what becomes of a decision log whose files are full. */
#ifndef EGRESSFW_PLAN_LOG_FULL_H
#define EGRESSFW_PLAN_LOG_FULL_H

#include <stdbool.h>

enum log_full {
	LOG_FULL_DROP,   /* the oldest file makes room */
	LOG_FULL_REFUSE, /* every request is refused until somebody has moved a file away */
	LOG_FULL_WORDS,
};

/* "drop", "refuse". */
const char *log_full_name(enum log_full full);

#endif
