/* state.h: the state directory: the lock, and what stands per instance. */
#ifndef EGRESSFW_SYSTEM_STATE_H
#define EGRESSFW_SYSTEM_STATE_H

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define STATE_DIRECTORY "/run/egressfw"

/*
 * Files of an instance: egressfw.plan, or egressfw-N.plan, and so on; 0600 in a 0700 directory that
 * must be ours. Everything is reached through the directory that was checked, never by path again.
 */
enum state_file {
	STATE_PLAN,  /* plan_encode() of what stands */
	STATE_HOSTS, /* our lines in the hosts file as they were last written */
	STATE_FILES,
};

struct state;

/*
 * Opens, and with `create` makes, the directory; it must be a real directory owned by the caller
 * that nobody else may write. instance is "" or N. False with *ret_absent: there is none and
 * `create` is false, or there cannot be one (its parent is missing, a read-only file system), and
 * *err says why; the caller can go on without state. *ret_absent is always set.
 */
bool state_open(const char *directory, const char *instance, bool create, struct state **ret,
		bool *ret_absent, struct err *err);

/* Releases the lock too. state may be NULL. */
void state_close(struct state *state);

/*
 * flock(2) on the lock file of the directory, one for all instances, waiting at most timeout_ms.
 * The lock file is never deleted: another process could be waiting on it.
 */
bool state_lock(struct state *state, unsigned timeout_ms, struct err *err);

/* Written beside, fsync'ed and renamed; a reader sees the old bytes or the new ones. */
bool state_write(struct state *state, enum state_file file, const void *bytes, size_t length,
		 struct err *err);

/*
 * *ret_present false: there is no such file, but perhaps a directory, which holds nothing of ours.
 * Refused: a link, not a regular file, not ours, writable by others, larger than 64 MiB.
 */
bool state_read(struct state *state, enum state_file file, struct buffer *ret, bool *ret_present,
		struct err *err);

/* A file that is not there is no error; an empty directory in its place goes too. */
bool state_delete(struct state *state, enum state_file file, struct err *err);

#endif
