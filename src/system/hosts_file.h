/* hosts_file.h: the hosts file, written in place so that no kill at any byte loses a foreign line. */
#ifndef EGRESSFW_SYSTEM_HOSTS_FILE_H
#define EGRESSFW_SYSTEM_HOSTS_FILE_H

#include "base/err.h"
#include "plan/hosts_block.h"
#include "system/state.h"

#include <stdbool.h>

/*
 * Theory of operation. In containers the file is a bind mount, which rename(2) cannot replace (EBUSY), so it is
 * written on its own inode. Before the first byte the old text goes to the journal (state.h), which is deleted after the last one;
 * a journal that is found at the start of any later run means a torn write, and is put back first. The write itself never truncates before
 * it has written, and the order of writes keeps every line parseable at any moment: what stands before our block keeps its bytes.
 * Without a state directory there is no journal: the order of the writes alone must then do.
 */

/* Before any change: a regular file (not followed: /etc/hosts may be a link in odd images, then its target) that can be opened for writing. */
bool hosts_file_check(const char *path, struct err *err);

/* Puts a torn write back, if there is a journal of this file. state may be NULL. */
bool hosts_file_repair(const char *path, struct state *state, bool *ret_repaired, struct err *err);

/* Writes the block (empty: takes it out), reads the file back and compares. *ret_changed: whether bytes were written. */
bool hosts_file_update(const char *path, const struct hosts_block *block, const char *instance,
		       struct state *state, bool *ret_changed, struct err *err);

/* Adds what differs to the findings. */
bool hosts_file_compare(const char *path, const struct hosts_block *block, const char *instance,
			struct findings *findings, struct err *err);

#endif
