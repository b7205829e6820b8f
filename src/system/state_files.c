/* state_files.c: what the state directory keeps of an instance: written, read, replaced, deleted. */
#include "system/state_parts.h"

#include "base/memory.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_FILE_MAX = 64 * 1024 * 1024 };

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
	if (descriptor < 0 && errno == ELOOP) {
		err_set(err, "%s/%s: is a link, and none is followed here: delete it", state->path,
			name);
		return false;
	}
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s/%s: cannot be opened", state->path, name);
		return false;
	}
	if (!state_check_file(state, name, descriptor, file == STATE_SETTINGS, err))
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
