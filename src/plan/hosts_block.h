/* hosts_block.h: our lines in the hosts file, text to text. */
#ifndef EGRESSFW_PLAN_HOSTS_BLOCK_H
#define EGRESSFW_PLAN_HOSTS_BLOCK_H

#include "base/buffer.h"
#include "base/err.h"
#include "plan/finding.h"
#include "plan/resolved.h"

#include <stdbool.h>

/* One line to be: an address and one name. */
struct hosts_entry {
	struct address address;
	char *name;
};

struct hosts_block {
	struct hosts_entry
		*items; /* grouped by name; within a name IPv4 before IPv6, then ascending */
	size_t count;
};

void hosts_block_free(struct hosts_block *block);

/* The lines for everything that was resolved. */
void hosts_block_build(const struct resolved *resolved, struct hosts_block *ret);

/* "203.0.113.5 api.example # egressfw" without a newline: every line of ours carries the label. */
void hosts_entry_print(const struct hosts_entry *entry, const char *instance, struct buffer *out);

/*
 * Appends our lines between the instance's marker lines ("# egressfw begin", "# egressfw-N begin").
 */
void hosts_block_print(const struct hosts_block *block, const char *instance, struct buffer *out);

enum { HOSTS_TEXT_MAX = 64 * 1024 * 1024 }; /* what state_read() takes */

/*
 * The new text of a hosts file: the instance's old lines are taken out, wherever they stand and
 * however torn (hosts_line.h), what they commented out is put back, and the new block is appended
 * (a newline first where the last line has none). Foreign bytes before the old block keep their
 * offsets; those behind it move up. A foreign line for a name of the block, before or behind, is a
 * conflict: its first byte becomes '#', its other names are repeated in our block, and the line
 * itself is recorded there. Lines of other instances are left alone. An empty block only takes the
 * old one out and undoes the conflicts.
 *
 * `written` is what hosts_text_extract() gave after the last write, NULL where none is known: with
 * it the block is found where an engine has stripped the comments, and the lines that we had
 * commented out are put back. Applied twice it gives the same text. Fails for a text of more than
 * HOSTS_TEXT_MAX bytes.
 */
bool hosts_text_update(const char *text, size_t length, const struct hosts_block *block,
		       const char *instance, const char *written, struct buffer *ret,
		       struct err *err);

/*
 * Appends the lines of the instance as they stand in a hosts file: what is to be kept as `written`.
 */
void hosts_text_extract(const char *text, size_t length, const char *instance, struct buffer *out);

/*
 * Adds a finding for every line of the block that is missing, every line of ours or within the
 * markers that is no line of it, every foreign line for one of its names, and a warning for every
 * line of another instance that gives one of its names another address. An empty block: every line
 * of ours is one too many.
 */
void hosts_text_compare(const char *text, size_t length, const struct hosts_block *block,
			const char *instance, struct findings *findings);

/*
 * Whether every line is a comment, blank, or an address with at least one name; for tests and for
 * the writer's own proof.
 */
bool hosts_text_parses(const char *text, size_t length);

#endif
