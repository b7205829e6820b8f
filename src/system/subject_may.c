/* subject_may.c: what the kernel lets a user do, asked by a child that is that user. */
#include "system/subject.h"

#include "system/child_answer.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct view {
	const struct subject *subject;
	const struct may_question *questions;
	size_t count;
};

static bool become(const struct subject *subject, struct err *err)
{
	const struct privilege_ids ids = { subject->uid, subject->gid, subject->gids,
					   subject->group_count };

	return subject->is_caller ? privilege_isolate(err) : privilege_become(&ids, err);
}

/* Needs what ptrace(2) needs to read: same uids, no capability more, and dumpable. */
static int inspect(const char *path)
{
	char theirs[64] = "", ours[64] = "";

	if (readlink(path, theirs, sizeof(theirs) - 1) < 0)
		return errno;
	if (readlink("/proc/self/ns/net", ours, sizeof(ours) - 1) < 0)
		return errno;
	return strcmp(theirs, ours) ? MAY_ELSEWHERE : 0;
}

static int ask(const struct may_question *question)
{
	int result = -1;

	switch (question->may) {
	case MAY_WRITE:
		result = faccessat(AT_FDCWD, question->path, W_OK, 0);
		break;
	case MAY_READ_WRITE:
		result = faccessat(AT_FDCWD, question->path, R_OK | W_OK, 0);
		break;
	case MAY_EXECUTE:
		result = faccessat(AT_FDCWD, question->path, X_OK, 0);
		break;
	case MAY_REPLACE:
		result = faccessat(AT_FDCWD, question->path, W_OK | X_OK, 0);
		break;
	case MAY_INSPECT:
		return inspect(question->path);
	}
	return result ? errno : 0;
}

static bool look(void *context, struct buffer *ret, struct err *err)
{
	const struct view *view = context;

	if (!become(view->subject, err))
		return false;
	for (size_t i = 0; i < view->count; i++) {
		int errnum = ask(&view->questions[i]);

		buffer_append(ret, &errnum, sizeof(errnum));
	}
	return true;
}

bool subject_may(const struct subject *subject, const struct may_question *questions, size_t count,
		 unsigned timeout_ms, int *ret, struct err *err)
{
	struct view view = { subject, questions, count };
	const struct child_question question = {
		.work = look,
		.context = &view,
		.uid = subject->uid,
		.timeout_ms = timeout_ms,
		.limit = count * sizeof(*ret),
	};
	struct buffer answer;

	if (!count)
		return true;
	if (!subject->is_caller && (!privilege_is_permitted(PRIVILEGE_SETUID) ||
				    !privilege_is_permitted(PRIVILEGE_SETGID))) {
		err_set(err, "CAP_SETUID and CAP_SETGID are needed to look as uid %u",
			(unsigned)subject->uid);
		return false;
	}
	if (!child_answer(&question, &answer, err))
		return false;
	if (answer.length != question.limit) {
		buffer_free(&answer);
		err_set(err, "a child process answered nonsense");
		return false;
	}
	memcpy(ret, answer.data, answer.length);
	buffer_free(&answer);
	return true;
}
