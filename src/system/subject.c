/* subject.c: the user whose ways out are looked for, and what the kernel lets that user do. */
#include "system/subject.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "doctor/accounts.h"
#include "system/child_answer.h"
#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ACCOUNTS_MAX = 16 * 1024 * 1024, GROUPS_MAX = 256 };

static bool read_accounts(const char *path, struct buffer *ret, struct err *err)
{
	bool present;

	return descriptor_read_file(path, ACCOUNTS_MAX, ret, &present, err);
}

static void add_name(struct subject *subject, gid_t gid, char *name)
{
	if (subject->group_count == GROUPS_MAX) {
		free(name);
		return;
	}
	subject->gids = memory_resize(subject->gids, subject->group_count + 1, sizeof(gid));
	subject->group_names = memory_resize(subject->group_names, subject->group_count + 1,
					     sizeof(*subject->group_names));
	subject->gids[subject->group_count] = gid;
	subject->group_names[subject->group_count++] = name;
}

static void add_group(struct subject *subject, gid_t gid)
{
	for (size_t i = 0; i < subject->group_count; i++)
		if (subject->gids[i] == gid)
			return;
	add_name(subject, gid, NULL);
}

static void read_user(const struct buffer *passwd, struct subject *subject)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	struct passwd_entry entry;

	while (passwd_next(&cursor, &entry)) {
		if (entry.uid != subject->uid)
			continue;
		subject->name = word_copy(entry.name);
		subject->gid = entry.gid;
		return;
	}
}

/* A group may have several names: all but the first get an entry of their own. */
static void name_group(struct subject *subject, const struct group_entry *entry)
{
	for (size_t i = 0; i < subject->group_count; i++) {
		if (subject->gids[i] != entry->gid)
			continue;
		if (subject->group_names[i])
			add_name(subject, entry->gid, word_copy(entry->name));
		else
			subject->group_names[i] = word_copy(entry->name);
		return;
	}
}

static void read_groups(const struct buffer *group, struct subject *subject)
{
	struct cursor cursor = cursor_over(group->data, group->length);
	struct group_entry entry;

	while (!subject->is_caller && subject->name && group_next(&cursor, &entry))
		if (group_has_member(&entry, subject->name))
			add_group(subject, entry.gid);
	cursor = cursor_over(group->data, group->length);
	while (group_next(&cursor, &entry))
		name_group(subject, &entry);
}

static void take_own_groups(struct subject *subject)
{
	gid_t own[GROUPS_MAX];
	int count = getgroups(GROUPS_MAX, own);

	subject->gid = getgid();
	add_group(subject, subject->gid);
	for (int i = 0; i < count; i++)
		add_group(subject, own[i]);
}

bool subject_read(uid_t uid, struct subject *ret, struct err *err)
{
	struct subject subject = { .uid = uid, .gid = uid, .is_caller = uid == getuid() };
	struct buffer passwd = { 0 }, group = { 0 };

	if (!read_accounts("/etc/passwd", &passwd, err))
		return false;
	if (!read_accounts("/etc/group", &group, err)) {
		buffer_free(&passwd);
		return false;
	}
	read_user(&passwd, &subject);
	if (subject.is_caller)
		take_own_groups(&subject);
	add_group(&subject, subject.gid);
	read_groups(&group, &subject);
	buffer_free(&passwd);
	buffer_free(&group);
	*ret = subject;
	return true;
}

void subject_free(struct subject *subject)
{
	for (size_t i = 0; i < subject->group_count; i++)
		free(subject->group_names[i]);
	free(subject->group_names);
	free(subject->gids);
	free(subject->name);
	*subject = (struct subject){ 0 };
}

/* Adds those of passwd that lie in the range; false where there is none. */
static bool choose_known(const struct buffer *passwd, const struct range *range, size_t most,
			 uid_t *ret, size_t *count)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	struct passwd_entry entry;
	bool any = false;

	while (passwd_next(&cursor, &entry)) {
		bool known = false;

		if (entry.uid < range->first || entry.uid > range->last)
			continue;
		any = true;
		for (size_t i = 0; i < *count; i++)
			known = known || ret[i] == entry.uid;
		if (!known && *count < most)
			ret[(*count)++] = entry.uid;
	}
	return any;
}

bool subjects_choose(const struct rangeset *uids, bool unknown_too, size_t most, uid_t *ret,
		     size_t *ret_count, struct err *err)
{
	struct buffer passwd;
	size_t count = 0;

	if (!read_accounts("/etc/passwd", &passwd, err))
		return false;
	for (size_t i = 0; i < uids->count; i++)
		if (!choose_known(&passwd, &uids->items[i], most, ret, &count) && unknown_too &&
		    count < most)
			ret[count++] = uids->items[i].first;
	if (!count && uids->count && most)
		ret[count++] = uids->items[0].first;
	buffer_free(&passwd);
	*ret_count = count;
	return true;
}

struct person subject_person(const struct subject *subject)
{
	return (struct person){
		.uid = subject->uid,
		.name = subject->name,
		.gids = subject->gids,
		.group_names = (const char *const *)subject->group_names,
		.group_count = subject->group_count,
	};
}

struct view {
	const struct subject *subject;
	const struct may_question *questions;
	size_t count;
};

/* The user last, since that takes the capabilities away. */
static bool become(const struct subject *subject, struct err *err)
{
	if (!subject->is_caller) {
		if (!privilege_raise(PRIVILEGE_SETGID, err) ||
		    !privilege_raise(PRIVILEGE_SETUID, err))
			return false;
		if (setgroups(subject->group_count, subject->gids) ||
		    setresgid(subject->gid, subject->gid, subject->gid) ||
		    setresuid(subject->uid, subject->uid, subject->uid)) {
			err_set_errno(err, errno, "cannot become uid %u", (unsigned)subject->uid);
			return false;
		}
	}
	if (!privilege_isolate(err))
		return false;
	if (getuid() == subject->uid && geteuid() == subject->uid)
		return true;
	err_set(err, "the uid is not %u after changing to it", (unsigned)subject->uid);
	return false;
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
