/* state.c: the state directory: the lock, and what stands per instance. */
#include "system/state.h"

#include "base/memory.h"
#include "plan/plan.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	STATE_FILE_MAX = 64 * 1024 * 1024,
	LOCK_POLL_MS = 20,
};

struct state {
	char *path;     /* for messages */
	int descriptor; /* of the directory */
	int lock;       /* -1: not held */
	char table[RULESET_NAME_SIZE];
};

static const char *const suffixes[] = {
	[STATE_PLAN] = "plan",         [STATE_HOSTS] = "hosts",
	[STATE_FILTER] = "filter",     [STATE_FILTER_ERRORS] = "filter.err",
	[STATE_SETTINGS] = "settings",
};
_Static_assert(sizeof(suffixes) / sizeof(suffixes[0]) == STATE_FILES, "one suffix per file");

/* A name within the directory; what follows the suffix tells a file that is being written. */
static char *file_name(const struct state *state, enum state_file file, const char *extra)
{
	return memory_format("%s.%s%s", state->table, suffixes[file], extra);
}

static bool check_directory(const char *path, int descriptor, struct err *err)
{
	struct stat status;

	if (fstat(descriptor, &status)) {
		err_set_errno(err, errno, "%s: cannot be examined", path);
		return false;
	}
	if (status.st_uid != geteuid()) {
		err_set(err, "%s: is owned by uid %u; a state directory must be owned by uid %u",
			path, (unsigned)status.st_uid, (unsigned)geteuid());
		return false;
	}
	if (status.st_mode & (S_IWGRP | S_IWOTH)) {
		err_set(err, "%s: others may write into this state directory; chmod 0700 it", path);
		return false;
	}
	return true;
}

bool state_open(const char *directory, const char *instance, bool create, struct state **ret,
		bool *ret_absent, struct err *err)
{
	autoclose int descriptor = -1;
	struct state *state;

	*ret_absent = false;
	if (*instance && !plan_instance_is_valid(instance)) {
		err_set(err, "\"%s\" is not the name of an instance", instance);
		return false;
	}
	if (create && mkdir(directory, 0700) && errno != EEXIST) {
		err_set_errno(err, errno, "%s: cannot be made", directory);
		*ret_absent = true;
		return false;
	}
	descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (descriptor < 0) {
		*ret_absent = errno == ENOENT;
		/* O_DIRECTORY answers ENOTDIR for a link as well. */
		if (errno == ENOTDIR)
			err_set(err, "%s: is not a directory, or a link to one", directory);
		else
			err_set_errno(err, errno, "%s: cannot be opened", directory);
		return false;
	}
	if (!check_directory(directory, descriptor, err))
		return false;
	if (create && faccessat(descriptor, ".", W_OK, AT_EACCESS)) {
		*ret_absent = errno == EROFS;
		err_set_errno(err, errno, "%s: cannot be written", directory);
		return false;
	}
	state = memory_allocate(1, sizeof(*state));
	state->path = memory_copy_string(directory);
	state->descriptor = descriptor;
	descriptor = -1;
	state->lock = -1;
	plan_table_name(instance, state->table);
	*ret = state;
	return true;
}

void state_close(struct state *state)
{
	if (!state)
		return;
	descriptor_close(&state->lock);
	descriptor_close(&state->descriptor);
	free(state->path);
	free(state);
}

/* Whether the file is one that only we can have made. */
static bool check_file(const struct state *state, const char *name, int descriptor, bool others_own,
		       struct err *err)
{
	struct stat status;

	if (fstat(descriptor, &status)) {
		err_set_errno(err, errno, "%s/%s: cannot be examined", state->path, name);
		return false;
	}
	if (!S_ISREG(status.st_mode) || (!others_own && status.st_uid != geteuid()) ||
	    status.st_mode & (S_IWGRP | S_IWOTH)) {
		err_set(err, "%s/%s: is not a regular file that uid %u owns and alone may write",
			state->path, name, (unsigned)geteuid());
		return false;
	}
	return true;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool state_lock(struct state *state, unsigned timeout_ms, struct err *err)
{
	static const struct timespec pause = { .tv_nsec = LOCK_POLL_MS * 1000000L };
	uint64_t deadline = now_ms() + timeout_ms;
	autoclose int descriptor = -1;

	if (state->lock >= 0)
		return true;
	descriptor = openat(state->descriptor, "lock",
			    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s/lock: cannot be opened", state->path);
		return false;
	}
	if (!check_file(state, "lock", descriptor, false, err))
		return false;
	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			err_set_errno(err, errno, "%s/lock: cannot be locked", state->path);
			return false;
		}
		if (now_ms() >= deadline) {
			err_set(err, "%s/lock: is held by another egressfw; waited %u ms",
				state->path, timeout_ms);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	state->lock = descriptor;
	descriptor = -1;
	return true;
}

/*
 * Deletes what stands there, true also where nothing does; false with errno. A directory is none of
 * our making: an empty one goes, or it would be in the way of every command for ever.
 */
static bool delete_name(const struct state *state, const char *name)
{
	if (!unlinkat(state->descriptor, name, 0) || errno == ENOENT)
		return true;
	return errno == EISDIR && !unlinkat(state->descriptor, name, AT_REMOVEDIR);
}

static bool replace(const struct state *state, const char *beside, const char *name)
{
	if (!renameat(state->descriptor, beside, state->descriptor, name))
		return true;
	return errno == EISDIR && delete_name(state, name) &&
	       !renameat(state->descriptor, beside, state->descriptor, name);
}

/* To its reader, who is then its owner, and may find it. */
static bool give_to(const struct state *state, int descriptor, uid_t owner, struct err *err)
{
	bool chown = owner != geteuid(), good;

	if (fchmod(descriptor, 0440) || fchmod(state->descriptor, 0711)) {
		err_set_errno(err, errno, "cannot be made readable");
		return false;
	}
	if (chown && !privilege_raise(PRIVILEGE_CHOWN, err))
		return false;
	good = !chown || !fchown(descriptor, owner, (gid_t)-1);
	if (!good)
		err_set_errno(err, errno, "cannot be given to uid %u", (unsigned)owner);
	return (!chown || privilege_lower(err)) && good;
}

/* owner (uid_t)-1: it stays ours. */
static bool write_beside(struct state *state, const char *beside, const void *bytes, size_t length,
			 uid_t owner, struct err *err)
{
	autoclose int descriptor = -1;

	/* One that a killed run left behind may be anything; it is never opened. */
	if (!delete_name(state, beside)) {
		err_set_errno(err, errno, "%s/%s: cannot be deleted", state->path, beside);
		return false;
	}
	descriptor = openat(state->descriptor, beside,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s/%s: cannot be made", state->path, beside);
		return false;
	}
	if (!descriptor_write_at(descriptor, beside, bytes, length, 0, err) ||
	    (owner != (uid_t)-1 && !give_to(state, descriptor, owner, err))) {
		err_wrap(err, "%s", state->path);
		return false;
	}
	if (fsync(descriptor)) {
		err_set_errno(err, errno, "%s/%s: cannot be written", state->path, beside);
		return false;
	}
	return true;
}

bool state_write(struct state *state, enum state_file file, const void *bytes, size_t length,
		 struct err *err)
{
	return state_write_for(state, file, bytes, length, (uid_t)-1, err);
}

char *state_path(const struct state *state, enum state_file file)
{
	return memory_format("%s/%s.%s", state->path, state->table, suffixes[file]);
}

bool state_open_new(struct state *state, enum state_file file, int *ret, struct err *err)
{
	autofree char *name = file_name(state, file, "");
	int descriptor = -1;

	if (delete_name(state, name))
		descriptor =
			openat(state->descriptor, name,
			       O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s/%s: cannot be made anew", state->path, name);
		return false;
	}
	*ret = descriptor;
	return true;
}

bool state_write_for(struct state *state, enum state_file file, const void *bytes, size_t length,
		     uid_t owner, struct err *err)
{
	autofree char *beside = file_name(state, file, ".new");
	autofree char *name = file_name(state, file, "");

	if (length > STATE_FILE_MAX) {
		err_set(err, "%s/%s: would be larger than %d bytes", state->path, name,
			STATE_FILE_MAX);
		return false;
	}
	if (!write_beside(state, beside, bytes, length, owner, err)) {
		unlinkat(state->descriptor, beside, 0);
		return false;
	}
	if (!replace(state, beside, name) || fsync(state->descriptor)) {
		err_set_errno(err, errno, "%s/%s: cannot be replaced", state->path, name);
		unlinkat(state->descriptor, beside, 0);
		return false;
	}
	return true;
}

static bool is_directory(int descriptor)
{
	struct stat status;

	return descriptor >= 0 && !fstat(descriptor, &status) && S_ISDIR(status.st_mode);
}

bool state_read(struct state *state, enum state_file file, struct buffer *ret, bool *ret_present,
		struct err *err)
{
	autofree char *name = file_name(state, file, "");
	autoclose int descriptor =
		openat(state->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if ((descriptor < 0 && errno == ENOENT) || is_directory(descriptor)) {
		*ret_present = false;
		*ret = (struct buffer){ 0 };
		return true;
	}
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s/%s: cannot be opened", state->path, name);
		return false;
	}
	if (!check_file(state, name, descriptor, file == STATE_SETTINGS, err))
		return false;
	if (!descriptor_read(descriptor, name, STATE_FILE_MAX, ret, err)) {
		err_wrap(err, "%s", state->path);
		return false;
	}
	*ret_present = true;
	return true;
}

void state_version_of(const struct state *state, enum state_file file, struct state_version *ret)
{
	autofree char *name = file_name(state, file, "");
	struct stat status;

	*ret = (struct state_version){ 0 };
	if (!fstatat(state->descriptor, name, &status, AT_SYMLINK_NOFOLLOW))
		*ret = (struct state_version){ status.st_ino, status.st_ctim.tv_sec,
					       status.st_ctim.tv_nsec };
}

bool state_version_equal(const struct state_version *one, const struct state_version *other)
{
	return one->inode == other->inode && one->seconds == other->seconds &&
	       one->nanoseconds == other->nanoseconds;
}

bool state_delete(struct state *state, enum state_file file, struct err *err)
{
	autofree char *name = file_name(state, file, "");

	if (!delete_name(state, name)) {
		err_set_errno(err, errno, "%s/%s: cannot be deleted", state->path, name);
		return false;
	}
	if (fsync(state->descriptor)) {
		err_set_errno(err, errno, "%s: cannot be written", state->path);
		return false;
	}
	return true;
}
