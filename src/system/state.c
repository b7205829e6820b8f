/* state.c: the state directory and its lock. */
#include "system/state_parts.h"

#include "base/memory.h"
#include "plan/plan.h"
#include "system/descriptor.h"
#include "system/lock_holder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK "lock"
enum { LOCK_POLL_MS = 20 };

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

/* *ret_made: it was not there before. */
static bool open_directory(const char *path, bool create, int *ret, bool *ret_made,
			   bool *ret_absent, struct err *err)
{
	autoclose int descriptor = -1;

	*ret_absent = *ret_made = false;
	if (create && !mkdir(path, 0700)) {
		*ret_made = true;
	} else if (create && errno != EEXIST) {
		err_set_errno(err, errno, "%s: cannot be made", path);
		*ret_absent = true;
		return false;
	}
	descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (descriptor < 0) {
		*ret_absent = errno == ENOENT;
		/* O_DIRECTORY answers ENOTDIR for a link as well. */
		if (errno == ENOTDIR)
			err_set(err, "%s: is not a directory, or a link to one", path);
		else
			err_set_errno(err, errno, "%s: cannot be opened", path);
		return false;
	}
	if (!check_directory(path, descriptor, err))
		return false;
	if (create && faccessat(descriptor, ".", W_OK, AT_EACCESS)) {
		*ret_absent = errno == EROFS;
		err_set_errno(err, errno, "%s: cannot be written", path);
		return false;
	}
	*ret = descriptor;
	descriptor = -1;
	return true;
}

bool state_open(const char *directory, const char *instance, bool create, struct state **ret,
		bool *ret_absent, struct err *err)
{
	struct state *state;
	int descriptor;
	bool made;

	*ret_absent = false;
	if (*instance && !plan_instance_is_valid(instance)) {
		err_set(err, "\"%s\" is not the name of an instance", instance);
		return false;
	}
	if (!open_directory(directory, create, &descriptor, &made, ret_absent, err))
		return false;
	state = memory_allocate(1, sizeof(*state));
	state->path = memory_copy_string(directory);
	state->descriptor = descriptor;
	state->made = made;
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

bool state_check_file(const struct state *state, const char *name, int descriptor, bool others_own,
		      struct err *err)
{
	/* Nothing is read from the lock. */
	bool worthless = !strcmp(name, LOCK);
	struct stat status;

	if (fstat(descriptor, &status)) {
		err_set_errno(err, errno, "%s/%s: cannot be examined", state->path, name);
		return false;
	}
	if (!S_ISREG(status.st_mode))
		err_set(err, "%s/%s: is not a regular file, which alone is kept here: delete it",
			state->path, name);
	else if (!others_own && status.st_uid != geteuid())
		err_set(err,
			"%s/%s: is owned by uid %u, who may have written it, and not by uid %u: %s",
			state->path, name, (unsigned)status.st_uid, (unsigned)geteuid(),
			worthless ? "chown it" : "delete it, and apply again");
	else if (status.st_mode & (S_IWGRP | S_IWOTH))
		err_set(err, "%s/%s: may be written by others (mode %04o): %s", state->path, name,
			(unsigned)status.st_mode & 07777,
			worthless ? "chmod 0600 it"
				  : "delete it, and apply again; or, if none of them can have "
				    "reached it, chmod go-w it");
	else
		return true;
	return false;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Whoever had lent the directory may have taken it away by now: then there is a new one. */
static bool open_lock(struct state *state, int *ret, struct err *err)
{
	enum { TRIES = 100 };

	for (unsigned i = 0;; i++) {
		int descriptor =
			openat(state->descriptor, LOCK,
			       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		bool absent;

		if (descriptor >= 0) {
			*ret = descriptor;
			return true;
		}
		if (errno != ENOENT || i == TRIES) {
			err_set_errno(err, errno, "%s/" LOCK ": cannot be opened", state->path);
			return false;
		}
		if (!open_directory(state->path, true, &descriptor, &state->made, &absent, err))
			return false;
		descriptor_close(&state->descriptor);
		state->descriptor = descriptor;
	}
}

static bool await_lock(const struct state *state, int descriptor, uint64_t deadline,
		       unsigned timeout_ms, struct err *err)
{
	static const struct timespec pause = { .tv_nsec = LOCK_POLL_MS * 1000000L };
	char holder[LOCK_HOLDER_SIZE] = "";

	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			err_set_errno(err, errno, "%s/" LOCK ": cannot be locked", state->path);
			return false;
		}
		if (*holder) {
			err_set(err, "%s/" LOCK ": is held by %s; waited %u ms", state->path,
				holder, timeout_ms);
			return false;
		}
		if (now_ms() >= deadline)
			lock_holder_text(descriptor, holder);
		else
			nanosleep(&pause, NULL);
	}
	return true;
}

/* Then others find another file there, or none. */
static bool is_deleted(int descriptor)
{
	struct stat status;

	return !fstat(descriptor, &status) && !status.st_nlink;
}

bool state_lock(struct state *state, unsigned timeout_ms, struct err *err)
{
	uint64_t deadline = now_ms() + timeout_ms;

	while (state->lock < 0) {
		autoclose int descriptor = -1;

		if (!open_lock(state, &descriptor, err) ||
		    !state_check_file(state, LOCK, descriptor, false, err) ||
		    !await_lock(state, descriptor, deadline, timeout_ms, err))
			return false;
		if (is_deleted(descriptor))
			continue;
		state->lock = descriptor;
		descriptor = -1;
	}
	return true;
}

bool state_is_locked(const struct state *state, char ret_holder[LOCK_HOLDER_SIZE])
{
	autoclose int descriptor =
		openat(state->descriptor, LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	/* Given back with the descriptor; whoever wants it meanwhile tries again. */
	if (descriptor < 0 || !flock(descriptor, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
		return false;
	lock_holder_text(descriptor, ret_holder);
	return true;
}

bool state_is_writable(const struct state *state)
{
	return !faccessat(state->descriptor, ".", W_OK, AT_EACCESS);
}

bool state_is_lent(const struct state *state)
{
	for (int file = 0; state->made && file < STATE_FILES; file++) {
		struct state_version found;

		state_version_of(state, (enum state_file)file, &found);
		if (found.inode)
			return false;
	}
	return state->made;
}

void state_give_back(struct state *state)
{
	if (!state)
		return;
	/* With the lock, or somebody else's work would be taken away; what is not empty stays. */
	if (state->made && state->lock >= 0 && !unlinkat(state->descriptor, LOCK, 0))
		rmdir(state->path);
	state_close(state);
}
