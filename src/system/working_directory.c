/* working_directory.c: where a program starts: a directory that its user reaches by path. */
#include "system/working_directory.h"

#include "base/memory.h"
#include "system/child_answer.h"
#include "system/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path from outside of this process's root begins with "(unreachable)" (getcwd(3)). */
static bool find_own(char **ret, struct err *err)
{
	char *own = getcwd(NULL, 0);

	if (own && *own == '/') {
		*ret = memory_copy_string(own);
		free(own);
		return true;
	}
	if (own)
		err_set(err, "the directory in which this was started has no path here");
	else
		err_set_errno(err, errno, "the directory in which this was started has no path");
	free(own);
	return false;
}

bool working_directory_find(const char *named, char **ret, struct err *err)
{
	autofree char *path = NULL, *own = NULL;
	struct stat status;

	if (!named)
		return find_own(ret, err);
	if (*named == '/') {
		path = memory_copy_string(named);
	} else {
		if (!find_own(&own, err))
			return false;
		path = memory_format("%s/%s", own, named);
	}
	/* What may not be looked at is tried by the user, whose errors say more. */
	if (*named && (stat(path, &status) ? errno != ENOENT : S_ISDIR(status.st_mode))) {
		*ret = path;
		path = NULL;
		return true;
	}
	err_set(err, "there is no directory \"%.256s\"", named);
	return false;
}

struct visit {
	const char *path;
	const struct identity *identity;
};

/* What the visiting child answers. */
struct sight {
	int errnum; /* of entering; 0: it did */
	dev_t device;
	ino_t inode;
};

static bool visit(void *context, struct buffer *ret, struct err *err)
{
	const struct visit *visit = context;
	const struct privilege_ids ids = identity_ids(visit->identity);
	struct sight sight = { 0 };
	struct stat status;

	if (!privilege_become(&ids, err))
		return false;
	if (chdir(visit->path) || stat(".", &status)) {
		sight.errnum = errno;
	} else {
		sight.device = status.st_dev;
		sight.inode = status.st_ino;
	}
	buffer_append(ret, &sight, sizeof(sight));
	return true;
}

static bool say_closed(const char *path, const struct identity *identity, int errnum,
		       struct err *err)
{
	err_set_errno(err, errnum, "the directory %.256s cannot be entered by \"%s\"", path,
		      identity->name);
	return false;
}

bool working_directory_check(const char *path, bool inherited, const struct identity *identity,
			     unsigned timeout_ms, struct err *err)
{
	struct visit context = { path, identity };
	const struct child_question question = {
		.work = visit,
		.context = &context,
		.uid = identity->uid,
		.timeout_ms = timeout_ms,
		.limit = sizeof(struct sight),
	};
	struct buffer answer = { 0 };
	struct sight sight;
	struct stat own;

	if (!child_answer(&question, &answer, err))
		return false;
	if (answer.length != sizeof(sight)) {
		buffer_free(&answer);
		err_set(err, "a child process answered nonsense");
		return false;
	}
	memcpy(&sight, answer.data, sizeof(sight));
	buffer_free(&answer);
	if (sight.errnum)
		return say_closed(path, identity, sight.errnum, err);
	if (!inherited)
		return true;
	if (!stat(".", &own) && own.st_dev == sight.device && own.st_ino == sight.inode)
		return true;
	err_set(err, "the directory in which this was started is not the one at %.256s any more",
		path);
	return false;
}

bool working_directory_enter(const char *path, const struct identity *identity, struct err *err)
{
	return !chdir(path) || say_closed(path, identity, errno, err);
}
