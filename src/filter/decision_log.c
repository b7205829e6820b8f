/* decision_log.c: the decision log: opened, appended to, rotated, begun anew. */
#include "filter/decision_log.h"

#include "base/memory.h"
#include "filter/log_files.h"
#include "filter/log_line.h"
#include "filter/log_open.h"
#include "filter/log_trouble.h"
#include "filter/log_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct decision_log {
	char *path;
	struct log_keeping keeping;
	struct log_writer writer;
	bool has_name; /* its file was at the path in this turn of the event loop */
	bool failed;   /* the last line is not there */
	bool full;     /* the last line says that no older file may make room */
	uint64_t lost;
	uint64_t dropped; /* older files that had to make room */
	struct log_trouble trouble;
	struct buffer line;
};

bool decision_log_open(const char *path, const struct log_keeping *keeping,
		       struct decision_log **ret, struct err *err)
{
	struct decision_log *log;
	int descriptor;

	if (!log_open(path, &descriptor, err))
		return false;
	log = memory_allocate(1, sizeof(*log));
	log->path = memory_copy_string(path);
	log->keeping = *keeping;
	log_writer_begin(&log->writer, descriptor);
	log->trouble.path = log->path;
	if (!decision_log_is_ready(log)) {
		err_set(err, "%s", log->trouble.text);
		decision_log_close(log);
		return false;
	}
	*ret = log;
	return true;
}

void decision_log_close(struct decision_log *log)
{
	log_writer_finish(&log->writer);
	buffer_free(&log->line);
	free(log->path);
	free(log);
}

static void begin_next(struct decision_log *log, int descriptor)
{
	log_writer_finish(&log->writer);
	log_writer_begin(&log->writer, descriptor);
	log->has_name = true;
	log->full = false;
}

/*
 * Nobody looks for lines in a file that was renamed or removed: another one is begun. One that
 * somebody else has put there may be anybody's, and is left alone.
 */
static bool keep_name(struct decision_log *log)
{
	int descriptor;

	log->has_name = log_writer_is_at(&log->writer, log->path);
	if (log->has_name)
		return true;
	descriptor = log_open_new(log->path);
	if (descriptor < 0)
		return log_trouble_set(&log->trouble, errno, "a new file cannot be made");
	begin_next(log, descriptor);
	return true;
}

static bool claim(struct decision_log *log)
{
	return log_writer_claim(&log->writer) || log_trouble_set(&log->trouble, errno, NULL);
}

bool decision_log_is_ready(struct decision_log *log)
{
	return !log->failed && claim(log);
}

bool decision_log_has_room(struct decision_log *log)
{
	return claim(log);
}

static struct log_moment moment_now(void)
{
	struct timespec wall, steady;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	return (struct log_moment){
		.wall_ms = (uint64_t)wall.tv_sec * 1000 + (uint64_t)wall.tv_nsec / 1000000,
		.steady_ms = (uint64_t)steady.tv_sec * 1000 + (uint64_t)steady.tv_nsec / 1000000,
	};
}

/* No line of ours fails for want of such a one. */
static void append_remark(struct decision_log *log, struct buffer *remark)
{
	log_writer_append(&log->writer, remark);
	buffer_free(remark);
}

/* Where no older file may be dropped, the last line says it, once. */
static bool is_full(struct decision_log *log)
{
	struct buffer last = { 0 };

	if (log->keeping.full != LOG_FULL_REFUSE ||
	    !log_files_are_full(log->path, log->keeping.files))
		return false;
	if (!log->full) {
		log_line_print_full(moment_now(), &last);
		append_remark(log, &last);
	}
	log_trouble_set(&log->trouble, 0, "its older files are as many as may be; move one away");
	return log->full = true;
}

/* Nothing is lost where this fails: each file has a name, and the line is refused. */
static bool rotate(struct decision_log *log)
{
	struct buffer last = { 0 }, first = { 0 };
	bool drops = log_files_are_full(log->path, log->keeping.files);
	int descriptor;

	if (is_full(log))
		return false;
	if (!log_files_put_aside(log->path, log->keeping.files))
		return log_trouble_set(&log->trouble, errno, "it cannot be put aside");
	descriptor = log_open_new(log->path);
	if (descriptor < 0) {
		log_trouble_set(&log->trouble, errno, "a new file cannot be made");
		log_files_put_back(log->path);
		return false;
	}
	log_line_print_rotated(moment_now(), &last);
	append_remark(log, &last);
	begin_next(log, descriptor);
	if (drops) {
		log_line_print_dropped(moment_now(), ++log->dropped, &first);
		append_remark(log, &first);
	}
	return true;
}

static bool write_line(struct decision_log *log, enum record_event event,
		       const struct record *record)
{
	log->line.length = 0;
	log_line_print(event, record, moment_now(), &log->line);
	if (log->writer.size && log->writer.size + log->line.length > log->keeping.size &&
	    !rotate(log))
		return false;
	return log_writer_append(&log->writer, &log->line) ||
	       log_trouble_set(&log->trouble, errno, NULL);
}

bool decision_log_write(struct decision_log *log, enum record_event event,
			const struct record *record)
{
	/* The line about an end tells only how much it was. */
	bool named = event == RECORD_END || log->has_name || keep_name(log);

	log->failed = !named || !write_line(log, event, record);
	if (log->failed)
		log->lost++;
	else if (log->trouble.text[0] && claim(log))
		log_trouble_end(&log->trouble);
	return !log->failed;
}

void decision_log_turn(struct decision_log *log)
{
	log->has_name = false;
}

bool decision_log_reopen(struct decision_log *log)
{
	log->failed = !keep_name(log);
	return !log->failed;
}

const char *decision_log_trouble(const struct decision_log *log)
{
	return log->trouble.text;
}

void decision_log_tell(struct decision_log *log, void (*say)(const char *text))
{
	log->trouble.say = say;
}

uint64_t decision_log_lost(const struct decision_log *log)
{
	return log->lost;
}

void record_set_target(struct record *record, const struct target *target)
{
	char text[ADDRESS_TEXT_SIZE];

	if (target->host[0])
		memcpy(record->host, target->host, sizeof(record->host));
	else
		strcpy(record->host, address_format(&target->address, text));
	record->port = target->port;
}
