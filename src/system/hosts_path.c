/* hosts_path.c: whether a user could lead the path of a hosts file elsewhere. */
#include "system/hosts_path.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many as the kernel follows. */
enum { LINKS_MAX = 40 };

/* The path with a link of it, which ends at `end`, written out; NULL with errno. */
static char *follow(const char *path, size_t end)
{
	autofree char *link = memory_format("%.*s", (int)end, path);
	char target[PATH_MAX];
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	const char *slash = strrchr(link, '/');

	if (length < 0)
		return NULL;
	target[length] = '\0';
	if (*target == '/')
		return memory_format("%s%s", target, path + end);
	return memory_format("%.*s/%s%s", (int)(slash - link), link, target, path + end);
}

/*
 * Goes to the first link, which ends at *ret_end; 0: there is none, or what follows is not there.
 */
static bool walk(const char *path, const struct rangeset *uids, size_t *ret_end, struct err *err)
{
	size_t end = 0;

	for (*ret_end = 0; path[end];) {
		autofree char *part = NULL;
		struct stat status;

		end += strspn(path + end, "/");
		end += strcspn(path + end, "/");
		part = memory_format("%.*s", (int)end, path);
		if (lstat(part, &status)) {
			if (errno == ENOENT)
				return true;
			err_set_errno(err, errno, "%s: cannot be examined", part);
			return false;
		}
		if (status.st_uid && status.st_uid != geteuid() &&
		    rangeset_contains(uids, status.st_uid)) {
			err_set(err,
				"%s: belongs to uid %u, whom this confines, and who could put "
				"another file there",
				part, (unsigned)status.st_uid);
			return false;
		}
		if (S_ISLNK(status.st_mode)) {
			*ret_end = end;
			return true;
		}
	}
	return true;
}

bool hosts_path_check(const char *path, const struct rangeset *uids, struct err *err)
{
	autofree char *at = memory_copy_string(path);

	for (int links = 0; links <= LINKS_MAX; links++) {
		size_t end;
		char *next;

		if (!walk(at, uids, &end, err))
			return false;
		if (!end)
			return true;
		next = follow(at, end);
		if (!next) {
			err_set_errno(err, errno, "%s: cannot be followed", at);
			return false;
		}
		free(at);
		at = next;
	}
	err_set(err, "%s: leads by too many links", path);
	return false;
}
