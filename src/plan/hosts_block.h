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
	struct hosts_entry *items; /* grouped by name; within a name IPv4 before IPv6, then ascending */
	size_t count;
};

void hosts_block_free(struct hosts_block *block);

/* The lines for everything that was resolved. */
void hosts_block_build(const struct resolved *resolved, struct hosts_block *ret);

/* Appends our lines between the instance's marker lines ("# egressfw begin", "# egressfw-N begin"). */
void hosts_block_print(const struct hosts_block *block, const char *instance, struct buffer *out);

/*
 * The new text of a hosts file: foreign bytes keep their offsets, the instance's old block is taken out,
 * the new one is appended (a newline first where the last line has none). An earlier foreign line for a name of the block is
 * a conflict: its first byte becomes '#', and its other names are repeated in our block together with what
 * is needed to put it back. `written` is the block text that the state says was last written, NULL where none is known: with
 * it the block is found where an engine has stripped the comments. An empty block only takes the old one out and undoes the conflicts.
 * Fails where markers are there but broken.
 */
bool hosts_text_update(const char *text, size_t length, const struct hosts_block *block, const char *instance,
		       const char *written, struct buffer *ret, struct err *err);

/* Adds a finding for every line of the block that is missing, every line within the markers that is no line of it, every earlier foreign line for one of its names. */
void hosts_text_compare(const char *text, size_t length, const struct hosts_block *block, const char *instance,
			struct findings *findings);

/* Whether every line is a comment, blank, or an address with at least one name; for tests and for the writer's own proof. */
bool hosts_text_parses(const char *text, size_t length);

#endif
