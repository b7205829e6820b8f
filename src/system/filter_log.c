/* filter_log.c: a place where the filter may write its log. */
#include "system/filter_log.h"

#include "base/memory.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files get the group of their directory. */
enum { LOG_MODE = S_ISGID | 0750 };

static bool give(int descriptor, uid_t uid, struct err *err)
{
	bool good;

	/* Before it is somebody else's, whose mode only CAP_FOWNER could change. */
	if (fchmod(descriptor, LOG_MODE)) {
		err_set_errno(err, errno, "its mode cannot be set");
		return false;
	}
	if (!privilege_raise(PRIVILEGE_CHOWN, err))
		return false;
	good = !fchown(descriptor, uid, (gid_t)-1);
	if (!good)
		err_set_errno(err, errno, "cannot be given to uid %u", (unsigned)uid);
	return privilege_lower(err) && good;
}

static bool make(const char *path)
{
	return !mkdir(path, LOG_MODE & ACCESSPERMS) || errno == EEXIST ||
	       (errno == ENOENT && directory_make_parents(path) &&
		!mkdir(path, LOG_MODE & ACCESSPERMS));
}

static bool is_empty(const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool empty = directory;

	while (empty && (entry = readdir(directory)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (directory)
		closedir(directory);
	return empty;
}

bool filter_log_directory(const char *path, uid_t uid, struct err *err)
{
	autoclose int descriptor = -1;
	struct stat status;

	if (!make(path)) {
		err_set_errno(err, errno, "%s: cannot be made, for the filter's log", path);
		return false;
	}
	descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* The filter itself says what it cannot write. */
	if (descriptor < 0 || fstat(descriptor, &status) || status.st_uid != geteuid() ||
	    !is_empty(path))
		return true;
	if (give(descriptor, uid, err))
		return true;
	err_wrap(err, "%s", path);
	return false;
}
