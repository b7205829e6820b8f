/* filter_log.c: a place where the filter may write its log. */
#include "system/filter_log.h"

#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool give(int descriptor, uid_t uid, gid_t gid, struct err *err)
{
	bool good;

	if (!privilege_raise(PRIVILEGE_CHOWN, err))
		return false;
	good = !fchown(descriptor, uid, gid);
	if (!good)
		err_set_errno(err, errno, "cannot be given to uid %u", (unsigned)uid);
	return privilege_lower(err) && good;
}

bool filter_log_directory(const char *path, uid_t uid, gid_t gid, struct err *err)
{
	autoclose int descriptor = -1;
	bool good;

	if (mkdir(path, 0750)) {
		if (errno == EEXIST)
			return true;
		err_set_errno(err, errno, "%s: cannot be made, for the filter's log", path);
		return false;
	}
	descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (descriptor < 0)
		err_set_errno(err, errno, "cannot be opened");
	good = descriptor >= 0 && give(descriptor, uid, gid, err);
	if (!good) {
		err_wrap(err, "%s", path);
		rmdir(path);
	}
	return good;
}
