/* path_walk.c: every part of a path, and of where links on it lead. */
#include "system/path_walk.h"

#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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
static bool walk(const char *path, path_judge *judge, const void *context, size_t *ret_end,
		 struct err *err)
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
		if (!judge(context, part, &status, err))
			return false;
		if (S_ISLNK(status.st_mode)) {
			*ret_end = end;
			return true;
		}
	}
	return true;
}

bool path_walk(const char *path, path_judge *judge, const void *context, struct err *err)
{
	autofree char *at = memory_copy_string(path);

	for (int links = 0; links <= LINKS_MAX; links++) {
		size_t end;
		char *next;

		if (!walk(at, judge, context, &end, err))
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
