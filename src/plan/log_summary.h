/* log_summary.h: a decision log summed up for people: who was asked for, what was refused, and when. */
#ifndef EGRESSFW_PLAN_LOG_SUMMARY_H
#define EGRESSFW_PLAN_LOG_SUMMARY_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. Lines are those of contrib/log.schema.json, taken as untrusted: what is no such object is
 * counted and left out. What is kept is bounded, however long the log is: so many hosts, of which
 * the rest is one sum, and so many stretches of time, which get longer as the log does.
 */
enum {
	SUMMARY_LINE_MAX = 64 * 1024,
	SUMMARY_HOSTS_MAX = 65536,
	SUMMARY_STRETCHES = 96,
	SUMMARY_TOP = 25, /* hosts that are shown */
};

/* What failed was allowed, and got an answer of the filter's own: no address, or nobody there. */
struct log_count {
	uint64_t allowed, failed, refused; /* requests, tunnels and packets */
	uint64_t bytes_up, bytes_down;     /* of what was allowed */
};

struct log_host {
	char *name; /* "(names no host)" for requests that named none */
	struct log_count count;
};

/* Starts as { 0 }. */
struct log_summary {
	struct log_host *hosts; /* in the order in which they came */
	size_t host_count;
	uint32_t *places; /* of hosts, by hash; 0: none, else the index and one */
	size_t place_count;
	struct log_count others; /* of the hosts beyond the limit */
	struct log_count all;
	struct log_count stretches[SUMMARY_STRETCHES];
	int64_t first;    /* seconds since the epoch; where the first stretch begins */
	int64_t width;    /* seconds of a stretch; 0: no line had a time */
	size_t malformed; /* lines that are none of the log's */
	uint64_t
		dropped; /* older files that one run of the filter says are gone; at least so many */
	bool full;       /* the log says that it was full, and everything refused */
};

void log_summary_free(struct log_summary *summary);

/* Takes one line without its end. */
void log_summary_add(struct log_summary *summary, const void *line, size_t length);

/* How many there were in all. */
uint64_t log_count_total(const struct log_count *count);

/* Appends a table: the hosts with most requests first, and the sum. */
void log_summary_text(const struct log_summary *summary, struct buffer *out);

/*
 * Appends one page that needs nothing else: no script, no resource of another place, and a policy
 * in it that forbids both. Every text of the log is escaped.
 */
void log_summary_html(const struct log_summary *summary, struct buffer *out);

/*
 * Appends one JSON object with the same as the table, in ASCII, with a newline at the end;
 * contrib/log_summary.schema.json says what is in it.
 */
void log_summary_json(const struct log_summary *summary, struct buffer *out);

/* Of the hosts, those that are shown, in that order: indices; the number goes to *ret_count. */
void log_summary_top(const struct log_summary *summary, size_t ret[SUMMARY_TOP], size_t *ret_count);

/*
 * Of all others together; whether anything is counted; the last stretch in which there is anything.
 */
struct log_count log_summary_rest(const struct log_summary *summary, const size_t *top,
				  size_t count);
bool log_count_is_any(const struct log_count *count);
size_t log_summary_last_stretch(const struct log_summary *summary);

/* "1.2 MB"; "2026-11-30 08:47", within the year 9999 at most. Return ret. */
enum { SUMMARY_WORD_SIZE = 40 };
const char *log_bytes_format(uint64_t bytes, char ret[SUMMARY_WORD_SIZE]);
const char *log_time_format(int64_t seconds, char ret[SUMMARY_WORD_SIZE]);

#endif
