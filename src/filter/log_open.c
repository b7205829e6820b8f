/* log_open.c: a file of the decision log that nobody else can write or replace. */
#include "filter/log_open.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_MODE = 0640 };

/* For writing only files that are new: the filter of system calls knows these flags (confine.c). */
int log_open_new(const char *path)
{
	return open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, LOG_MODE);
}

static int open_old(const char *path)
{
	return open(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static int open_either(const char *path)
{
	int descriptor = open_old(path);

	return descriptor < 0 && errno == ENOENT ? log_open_new(path) : descriptor;
}

/* Whoever else may write it can change what is in it, or put another file in its place. */
static bool check_ours(const char *path, const char *what, const struct stat *status,
		       struct err *err)
{
	if (status->st_uid == geteuid() && !(status->st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	err_set(err,
		"%s: %s must belong to uid %u, and nobody else may write it: it is uid %u's, mode "
		"%04o",
		path, what, (unsigned)geteuid(), (unsigned)status->st_uid,
		(unsigned)status->st_mode & 07777);
	return false;
}

/*
 * Rotation makes a file beside this one; that it can is looked at while somebody reads the answer.
 */
static bool check_folder(const char *path, struct err *err)
{
	autofree char *folder = memory_copy_string(path);
	char *slash = strrchr(folder, '/');
	struct stat status;

	slash[slash == folder] = '\0';
	if (!access(folder, W_OK | X_OK) && !stat(folder, &status))
		return check_ours(folder, "the folder of the log", &status, err);
	err_set_errno(err, errno,
		      "%s: the folder of the log cannot be written, which rotation must", folder);
	return false;
}

static bool check_file(const char *path, int descriptor, struct err *err)
{
	struct stat status;

	if (fstat(descriptor, &status)) {
		err_set_errno(err, errno, "%s: the decision log cannot be examined", path);
		return false;
	}
	if (S_ISREG(status.st_mode))
		return check_ours(path, "the decision log", &status, err);
	err_set(err, "%s: the decision log must be a regular file", path);
	return false;
}

static bool check_both(const char *path, int descriptor, struct err *err)
{
	if (descriptor >= 0)
		return check_file(path, descriptor, err) && check_folder(path, err);
	err_set_errno(err, errno, "%s: the decision log cannot be opened", path);
	return false;
}

bool log_open(const char *path, int *ret, struct err *err)
{
	int descriptor = open_either(path);

	if (check_both(path, descriptor, err)) {
		*ret = descriptor;
		return true;
	}
	if (descriptor >= 0)
		close(descriptor);
	return false;
}

bool log_check(const char *path, struct err *err)
{
	int descriptor = open_old(path);
	bool good = descriptor < 0 && errno == ENOENT ? check_folder(path, err)
						      : check_both(path, descriptor, err);

	if (descriptor >= 0)
		close(descriptor);
	return good;
}
