/* hosts_file.h: the hosts file, written in place so that no kill at any byte loses a foreign line.
 */
#ifndef EGRESSFW_SYSTEM_HOSTS_FILE_H
#define EGRESSFW_SYSTEM_HOSTS_FILE_H

#include "base/err.h"
#include "plan/finding.h"
#include "plan/hosts_block.h"
#include "system/state.h"

#include <stdbool.h>

/*
 * Theory of operation. In containers the file is a bind mount, which rename(2) cannot replace
 * (EBUSY), so it is written on its own inode, and never cut before everything that stays has been
 * written. hosts_rewrite.h gives the order of the writes: a kill at any byte leaves every line
 * parseable and every foreign line there, and enough in the file itself for the next run to finish
 * or undo what was under way, also from another mount namespace and where no state can be kept.
 * `state` (may be NULL) remembers our lines, for the case that an engine strips the comments by
 * which they are known. The caller holds the state's lock. A file that is not there has no lines;
 * it is made (0644) when there are some to be written.
 */

/*
 * Before any change: a regular file of at most 16 MiB (a link is followed) that can be opened for
 * writing, or none and a directory that it can be made in.
 */
bool hosts_file_check(const char *path, struct err *err);

/* Finishes or undoes a torn write, if there is one. */
bool hosts_file_repair(const char *path, bool *ret_repaired, struct err *err);

/*
 * Repairs, writes the block (empty: takes it out), reads the file back and compares. *ret_changed:
 * whether bytes were written.
 */
bool hosts_file_update(const char *path, const struct hosts_block *block, const char *instance,
		       struct state *state, bool *ret_changed, struct err *err);

/* Adds what differs to the findings. */
bool hosts_file_compare(const char *path, const struct hosts_block *block, const char *instance,
			struct findings *findings, struct err *err);

#endif
