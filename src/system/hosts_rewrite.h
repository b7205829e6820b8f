/* hosts_rewrite.h: the writes that turn one hosts text into another, kill-safe at any byte. */
#ifndef EGRESSFW_SYSTEM_HOSTS_REWRITE_H
#define EGRESSFW_SYSTEM_HOSTS_REWRITE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Theory of operation. Both texts begin alike; only the tail from the first line that differs is
 * written. The file itself is the journal:
 *
 *	head | old tail | "# egressfw rewrite 0: ..." | "# egressfw rewrite 0: ..." | new tail
 *
 * First two notes and a copy of the new tail are appended, so that nothing that stands is touched.
 * Then one byte of the second note changes, which commits: until then a torn write is undone by
 * cutting the file where it ended, from then on it is finished from the copy. Finishing turns the
 * old tail and the first note into comments, writes the new tail over them, and cuts the file
 * behind it. Lines are always first written as comments and then turned into what they are by
 * their first byte alone. So whatever prefix of whatever write was the last one: every line parses,
 * if those of both texts do, and every line that both texts have is there. The writes are pure
 * values: nothing here touches a file.
 */

struct hosts_write {
	/* HOSTS_APPEND begins at the end of the text; where it fails it is to be cut off again. */
	enum { HOSTS_APPEND, HOSTS_WRITE, HOSTS_SYNC, HOSTS_CUT } kind;
	size_t offset;       /* HOSTS_CUT: the new length */
	struct buffer bytes; /* HOSTS_APPEND, HOSTS_WRITE */
	size_t expected;     /* HOSTS_CUT: the length before; another one means a foreign write */
};

struct hosts_writes {
	struct hosts_write *items;
	size_t count;
};

void hosts_writes_free(struct hosts_writes *writes);

/* The writes from one text to the other; none where they are the same. */
void hosts_rewrite(const struct buffer *from, const struct buffer *to, struct hosts_writes *ret);

/*
 * The writes that finish or undo the rewrite that was under way when `text` was left; lines that
 * somebody appended since are kept. False where there was none. The result may itself be the torn
 * state of an earlier rewrite: to be repeated until false.
 */
bool hosts_rewrite_recover(const struct buffer *text, struct hosts_writes *ret);

#endif
