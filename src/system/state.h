/* state.h: the state directory: the lock, and what stands per instance. */
#ifndef EGRESSFW_SYSTEM_STATE_H
#define EGRESSFW_SYSTEM_STATE_H

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

#define STATE_DIRECTORY "/run/egressfw"

/* Files of an instance, all root only (0600 in a 0700 directory that must be ours): NAME.plan, NAME.hosts, NAME.journal. */
enum state_file {
	STATE_PLAN,    /* plan_encode() of what stands */
	STATE_HOSTS,   /* the hosts block as it was last written, and the text of the conflicts that were commented out */
	STATE_JOURNAL, /* the hosts file as it was before a write that is under way */
};

struct state;

/*
 * Opens, and with `create` makes, the directory; it must be a directory owned by the caller that nobody else may write.
 * False with *ret_absent: there is none and `create` is false, or it cannot be made (read-only file system).
 */
bool state_open(const char *directory, const char *instance, bool create, struct state **ret, bool *ret_absent, struct err *err);
void state_close(struct state *state); /* releases the lock too */

/* flock(2) on the lock file of the directory (all instances), waiting at most timeout_ms. */
bool state_lock(struct state *state, unsigned timeout_ms, struct err *err);

/* Written beside, fsync'ed and renamed; a reader sees the old bytes or the new ones. */
bool state_write(struct state *state, enum state_file file, const void *bytes, size_t length, struct err *err);
/* *ret_present false: there is no such file. Refused: a link, not a regular file, not ours, larger than 64 MiB. */
bool state_read(struct state *state, enum state_file file, struct buffer *ret, bool *ret_present, struct err *err);
bool state_delete(struct state *state, enum state_file file, struct err *err);

#endif
