/* log_line.h: records of the decision log as lines; pure. */
#ifndef EGRESSFW_FILTER_LOG_LINE_H
#define EGRESSFW_FILTER_LOG_LINE_H

#include "base/buffer.h"
#include "filter/decision_log.h"

/* What the clock says when the line is written. */
struct log_moment {
	uint64_t wall_ms;   /* since 1970 */
	uint64_t steady_ms; /* as milliseconds_now() counts */
};

/* Appends one JSON object and a newline: ASCII, nothing in it steers a terminal. */
void log_line_print(enum record_event event, const struct record *record, struct log_moment moment,
		    struct buffer *out);

/* What the log says of itself: the last line of a file that was put aside, ... */
void log_line_print_rotated(struct log_moment moment, struct buffer *out);
/* ... the first of one for which an older file was dropped, of `files` since the start, ... */
void log_line_print_dropped(struct log_moment moment, uint64_t files, struct buffer *out);
/* ... and the last of one that may not be put aside, since no older file may be dropped. */
void log_line_print_full(struct log_moment moment, struct buffer *out);

/* RFC 3339, UTC, milliseconds, for times from 1970 on. */
enum { LOG_TIME_SIZE = 40 };
const char *log_time_format(uint64_t wall_ms, char ret[LOG_TIME_SIZE]);

#endif
