/* hosts_path.c: whether a user could lead the path of a hosts file elsewhere. */
#include "system/hosts_path.h"

#include "system/path_walk.h"

#include <unistd.h>

static bool is_safe(const void *context, const char *part, const struct stat *status,
		    struct err *err)
{
	const struct rangeset *uids = context;

	if (!status->st_uid || status->st_uid == geteuid() ||
	    !rangeset_contains(uids, status->st_uid))
		return true;
	err_set(err,
		"%s: belongs to uid %u, whom this confines, and who could put another file there",
		part, (unsigned)status->st_uid);
	return false;
}

bool hosts_path_check(const char *path, const struct rangeset *uids, struct err *err)
{
	return path_walk(path, is_safe, uids, err);
}
