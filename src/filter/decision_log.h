/* decision_log.h: one JSON object per line for every request and tunnel, in a file that only grows. */
#ifndef EGRESSFW_FILTER_DECISION_LOG_H
#define EGRESSFW_FILTER_DECISION_LOG_H

#include "base/err.h"
#include "plan/log_full.h"
#include "policy/decide.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Every request has exactly one line RECORD_DECISION, which is written before anything of it is
 * passed on; a request or tunnel that was allowed has a line RECORD_END too, with what was passed
 * on. Who only asks whether the filter answers has RECORD_CHECK instead.
 */
enum record_event { RECORD_DECISION, RECORD_END, RECORD_CHECK };

/* Texts are borrowed. Header values and userinfo have no place here. */
struct record {
	struct decision decision;  /* layer, verdict, rule, reason */
	const char *method;        /* NULL where none could be read */
	char host[HOST_TEXT_SIZE]; /* name or address in normal form; "" where none could be read */
	uint16_t port;
	const char *path;  /* canonical; NULL of a tunnel */
	const char *query; /* logged with decisions to block only */
	unsigned status;   /* of the answer; 0 where there was none */
	bool has_uid;
	uint32_t uid;
	struct address_port peer; /* the client */
	bool has_address;
	struct address address; /* that was dialled, or refused */
	uint64_t bytes_up, bytes_down;
	uint64_t began_ms; /* as milliseconds_now() counts */
};

struct decision_log;

struct log_keeping {
	uint64_t size;  /* octets from which on a file is put aside */
	unsigned files; /* older ones beside it: PATH.1, the youngest, to PATH.files */
	/* Where there are as many: the oldest is dropped, or the line refused. */
	enum log_full full;
};

/*
 * Opens or makes the file; a torn last line gets its newline. One that is full is put aside after a
 * last line that says so, and begun anew; where an older file had to go for it, with a line that
 * says that.
 */
bool decision_log_open(const char *path, const struct log_keeping *keeping,
		       struct decision_log **ret, struct err *err);
void decision_log_close(struct decision_log *log);

/* Whether a line would find room now; false: refuse with 503 and do not begin. */
bool decision_log_is_ready(struct decision_log *log);

/* The same for the request after this one, whatever became of the line before. */
bool decision_log_has_room(struct decision_log *log);

/*
 * Where the file was renamed or removed, another one is begun at its path, as the first line for a
 * decision in each turn of the event loop does by itself. False: that cannot be, and what comes is
 * refused.
 */
bool decision_log_reopen(struct decision_log *log);

/* A turn of the event loop begins: whether the file is at its path has to be asked anew. */
void decision_log_turn(struct decision_log *log);

/* Why it cannot be written, with its path and what to do; "" where it can. */
const char *decision_log_trouble(const struct decision_log *log);

/* From now on says that, and when it is over; each at most once a minute. */
void decision_log_tell(struct decision_log *log, void (*say)(const char *text));

/*
 * One write(2) for the line. False: it is not in the file, and what it is about must not go on:
 * 503.
 */
bool decision_log_write(struct decision_log *log, enum record_event event,
			const struct record *record);

/* Lines that could not be written since the start. */
uint64_t decision_log_lost(const struct decision_log *log);

/* Sets host and port from the target. */
void record_set_target(struct record *record, const struct target *target);

#endif
