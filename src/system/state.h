/* state.h: the state directory: the lock, and what stands per instance. */
#ifndef EGRESSFW_SYSTEM_STATE_H
#define EGRESSFW_SYSTEM_STATE_H

#include "base/buffer.h"
#include "base/err.h"
#include "system/lock_holder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define STATE_DIRECTORY "/run/egressfw"

/*
 * Files of an instance: egressfw.plan, or egressfw-N.plan, and so on; 0600 in a 0700 directory that
 * must be ours (0711 once there are settings, which their reader has to get at by path). Everything
 * is reached through the directory that was checked, never by path again.
 */
enum state_file {
	STATE_PLAN,          /* plan_encode() of what stands */
	STATE_HOSTS,         /* our lines in the hosts file as they were last written */
	STATE_FILTER,        /* which process the filter is that we started */
	STATE_FILTER_ERRORS, /* what it says on standard error */
	STATE_SETTINGS,      /* its settings, which belong to its user */
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
 * A lock file that is deleted meanwhile is none: another one is made then, and with it perhaps the
 * directory.
 */
bool state_lock(struct state *state, unsigned timeout_ms, struct err *err);

/*
 * For a command that leaves no directory behind where it found none, and yet must not be beside
 * another one. After state_lock(): whether the directory is there for its sake alone, and has
 * nothing of the instance. state_give_back() is state_close(), and takes away again what was made
 * and is empty; state may be NULL.
 */
bool state_is_lent(const struct state *state);
void state_give_back(struct state *state);

/*
 * Whether somebody else has that lock now, and who, in the words of lock_holder_text(). False also
 * where nobody can tell. Nothing is made.
 */
bool state_is_locked(const struct state *state, char ret_holder[LOCK_HOLDER_SIZE]);

/* Whether files of ours can be made there, as far as the directory tells. */
bool state_is_writable(const struct state *state);

/* Written beside, fsync'ed and renamed; a reader sees the old bytes or the new ones. */
bool state_write(struct state *state, enum state_file file, const void *bytes, size_t length,
		 struct err *err);

/*
 * *ret_present false: there is no such file, but perhaps a directory, which holds nothing of ours.
 * Refused: a link, not a regular file, not ours, writable by others, larger than 64 MiB.
 */
bool state_read(struct state *state, enum state_file file, struct buffer *ret, bool *ret_present,
		struct err *err);

/*
 * The same for a file that becomes `owner`'s, who may read it, as may our group, and nobody may
 * write. Needs CAP_CHOWN permitted where the owner is not this user.
 */
bool state_write_for(struct state *state, enum state_file file, const void *bytes, size_t length,
		     uid_t owner, struct err *err);

/* Its path, which the caller frees. */
char *state_path(const struct state *state, enum state_file file);

/* A new, empty file in the place of what was there, open for reading and for adding at the end. */
bool state_open_new(struct state *state, enum state_file file, int *ret, struct err *err);

/* Which file stands there; all zero: none. */
struct state_version {
	uint64_t inode;
	int64_t seconds, nanoseconds; /* of its last change */
};
void state_version_of(const struct state *state, enum state_file file, struct state_version *ret);
bool state_version_equal(const struct state_version *one, const struct state_version *other);

/* Names of instances, "" for the one without a name, in order; all owned. */
struct state_instances {
	char **items;
	size_t count;
};

/* Of which instances the directory has a plan, whether it can be read or not. */
bool state_instances(const char *directory, struct state_instances *ret, struct err *err);
void state_instances_free(struct state_instances *instances);

/* A file that is not there is no error; an empty directory in its place goes too. */
bool state_delete(struct state *state, enum state_file file, struct err *err);

#endif
