/* decision_log.c: the file of the decision log: opened, appended to, rotated. */
#include "filter/decision_log.h"

#include "base/memory.h"
#include "filter/log_files.h"
#include "filter/log_line.h"
#include "filter/log_open.h"
#include "filter/log_trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/*
 * Theory of operation. Room for lines is claimed ahead of them, beyond the end of the file, so that
 * a request is refused before it is begun and not when its line finds no room. Where the file
 * system cannot do that the first line that fails says so for those behind it. What was claimed is
 * given back at the end.
 */
enum {
	CLAIM = 1024 * 1024,     /* claimed at once, where there is that much */
	CLAIM_LEAST = 64 * 1024, /* some lines; more is claimed when less is left */
};

struct decision_log {
	char *path;
	struct log_keeping keeping;
	int descriptor;
	dev_t device; /* of the file */
	ino_t inode;
	bool has_name; /* it was at its path in this turn of the event loop */
	uint64_t size;
	uint64_t claimed;  /* up to this offset there is room; UINT64_MAX: nobody knows */
	bool failed, torn; /* the last line is not there; a part of one is */
	uint64_t lost;
	uint64_t dropped; /* older files that had to make room */
	bool full;        /* the last line says that none may */
	struct log_trouble trouble;
	struct buffer line;
};

static bool is_torn(int descriptor, off_t size)
{
	char last = '\n';

	return size > 0 && (pread(descriptor, &last, 1, size - 1) != 1 || last != '\n');
}

static void begin_file(struct decision_log *log, int descriptor)
{
	struct stat file = { .st_size = 0 };

	/* fstat(2) of a file that is open does not fail here; unknown, it is as one that was renamed. */
	log->has_name = !fstat(descriptor, &file);
	log->descriptor = descriptor;
	log->device = file.st_dev;
	log->inode = file.st_ino;
	log->size = (uint64_t)file.st_size;
	log->claimed = 0;
	log->torn = is_torn(descriptor, file.st_size);
	log->full = false;
}

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
	begin_file(log, descriptor);
	log->trouble.path = log->path;
	if (!decision_log_is_ready(log)) {
		err_set(err, "%s", log->trouble.text);
		decision_log_close(log);
		return false;
	}
	*ret = log;
	return true;
}

/* Gives back what was claimed beyond the end, wherever others have put that, and closes. */
static void finish_file(const struct decision_log *log)
{
	struct stat file;

	/* Failing, it only takes room. */
	if (log->claimed != UINT64_MAX && log->claimed > log->size &&
	    !fstat(log->descriptor, &file) && ftruncate(log->descriptor, file.st_size))
		errno = 0;
	close(log->descriptor);
}

void decision_log_close(struct decision_log *log)
{
	finish_file(log);
	buffer_free(&log->line);
	free(log->path);
	free(log);
}

/* What others have done to the length: a file that was emptied must not be filled up with zeros. */
static void take_size(struct decision_log *log, uint64_t size)
{
	if (size == log->size)
		return;
	log->size = size;
	log->torn = is_torn(log->descriptor, (off_t)size);
	if (log->claimed != UINT64_MAX)
		log->claimed = size;
}

/*
 * Nobody looks for lines in a file that was renamed or removed: another one is begun. One that
 * somebody else has put there may be anybody's, and is left alone.
 */
static bool keep_name(struct decision_log *log)
{
	struct stat named;
	int descriptor;

	if (!lstat(log->path, &named) && named.st_ino == log->inode &&
	    named.st_dev == log->device) {
		take_size(log, (uint64_t)named.st_size);
		return log->has_name = true;
	}
	log->has_name = false;
	descriptor = log_open_new(log->path);
	if (descriptor < 0)
		return log_trouble_set(&log->trouble, errno, "a new file cannot be made");
	finish_file(log);
	begin_file(log, descriptor);
	return true;
}

static bool claim(struct decision_log *log)
{
	if (log->claimed == UINT64_MAX || log->size + CLAIM_LEAST <= log->claimed)
		return true;
	for (off_t more = CLAIM; more >= CLAIM_LEAST; more /= 2)
		if (!fallocate(log->descriptor, FALLOC_FL_KEEP_SIZE, (off_t)log->size, more)) {
			log->claimed = log->size + (uint64_t)more;
			return true;
		}
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)
		return log_trouble_set(&log->trouble, errno, NULL);
	log->claimed = UINT64_MAX;
	return true;
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

static bool take_back(const struct decision_log *log, off_t written)
{
	struct stat file;

	return !fstat(log->descriptor, &file) && file.st_size >= written &&
	       !ftruncate(log->descriptor, file.st_size - written);
}

/* One write; a part of a line is taken back, or else closed off by the next one. */
static bool append(struct decision_log *log, const struct buffer *line)
{
	static char end[] = "\n";
	const struct iovec parts[] = { { end, log->torn ? 1 : 0 }, { line->data, line->length } };
	size_t length = parts[0].iov_len + line->length;
	ssize_t written;
	int errnum;

	do
		written = writev(log->descriptor, parts, 2);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)length) {
		log->size += length;
		log->torn = false;
		return true;
	}
	/* Of a part of it: there was no room for the rest. */
	errnum = written < 0 ? errno : ENOSPC;
	if (written > 0 && !take_back(log, (off_t)written)) {
		log->size += (uint64_t)written;
		log->torn = true;
	}
	errno = errnum;
	return false;
}

/* No line of ours fails for want of such a one. */
static void append_remark(struct decision_log *log, struct buffer *remark)
{
	append(log, remark);
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
	finish_file(log);
	begin_file(log, descriptor);
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
	if (log->size && log->size + log->line.length > log->keeping.size && !rotate(log))
		return false;
	return append(log, &log->line) || log_trouble_set(&log->trouble, errno, NULL);
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
