/* log_writer.h: lines at the end of an open file, with room claimed ahead of them. */
#ifndef EGRESSFW_FILTER_LOG_WRITER_H
#define EGRESSFW_FILTER_LOG_WRITER_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct log_writer {
	int descriptor;
	dev_t device; /* of the file */
	ino_t inode;
	uint64_t size;    /* octets that it has, as far as known */
	uint64_t claimed; /* up to this offset there is room; UINT64_MAX: nobody knows */
	bool torn;        /* a part of a line is at its end */
};

/* The descriptor, open for reading and appending (open(2), O_APPEND), is the writer's from now on. */
void log_writer_begin(struct log_writer *writer, int descriptor);

/* Gives back the room that no line took, and closes. */
void log_writer_finish(const struct log_writer *writer);

/* Whether the path names this file, whose size is then as it is found. */
bool log_writer_is_at(struct log_writer *writer, const char *path);

/* Whether some lines more would find room. False: errno says why not. */
bool log_writer_claim(struct log_writer *writer);

/*
 * One writev(2) of the line, which ends in a newline; where a part of another one is before it,
 * that gets one as well. False: it is not in the file, and errno says why.
 */
bool log_writer_append(struct log_writer *writer, const struct buffer *line);

#endif
