/* filter_program.c: whether somebody else could have written the filter's program. */
#include "system/filter_process.h"

#include "system/path_walk.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * "staff", to which /usr/local belongs in Debian, and whose members are trusted as root is there
 * (Debian Policy, section 9.1.2). Those of other low numbers, as www-data's 33, are services.
 */
enum { GROUP_ROOT = 0, GROUP_STAFF = 50 };

/* The program itself is looked at more closely. */
static bool is_safe(const void *context, const char *part, const struct stat *status,
		    struct err *err)
{
	bool folder = S_ISDIR(status->st_mode);

	(void)context;
	if (!folder && !S_ISLNK(status->st_mode))
		return true;
	if (status->st_uid != 0 && status->st_uid != geteuid()) {
		err_set(err,
			"%s: belongs to uid %u, who could put another program there than the "
			"filter's",
			part, (unsigned)status->st_uid);
		return false;
	}
	/* Out of a sticky one nobody can take what is not his (inode(7)). */
	if (!folder || status->st_mode & S_ISVTX || !(status->st_mode & (S_IWGRP | S_IWOTH)) ||
	    (!(status->st_mode & S_IWOTH) &&
	     (status->st_gid == GROUP_ROOT || status->st_gid == GROUP_STAFF)))
		return true;
	err_set(err,
		"%s: %s may write into this folder, and put another program there than the "
		"filter's; chmod go-w it",
		part, status->st_mode & S_IWOTH ? "everybody" : "its group");
	return false;
}

bool filter_program_check(const char *program, struct err *err)
{
	struct stat status;

	if (stat(program, &status) || access(program, X_OK)) {
		err_set_errno(err, errno, "%s: the filter's program cannot be executed", program);
		return false;
	}
	if (S_ISREG(status.st_mode) && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    (status.st_uid == 0 || status.st_uid == geteuid()))
		return path_walk(program, is_safe, NULL, err);
	err_set(err, "%s: the filter's program must be a file that only root may write", program);
	return false;
}
