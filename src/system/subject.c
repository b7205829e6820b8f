/* subject.c: the user whose ways out are looked for: who that is, and in which groups. */
#include "system/subject.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "doctor/accounts.h"
#include "system/descriptor.h"

#include <stdlib.h>
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

/* Below are the system's own users, on Debian and most others. */
enum { FIRST_PERSON = 1000 };

static bool is_among(uid_t uid, const uid_t *uids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (uids[i] == uid)
			return true;
	return false;
}

/* Adds those of passwd that are among the uids: persons, or the others. */
static void choose_known(const struct buffer *passwd, const struct rangeset *uids, bool persons,
			 size_t most, uid_t *ret, size_t *count)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	struct passwd_entry entry;

	while (*count < most && passwd_next(&cursor, &entry))
		if ((entry.uid >= FIRST_PERSON) == persons && rangeset_contains(uids, entry.uid) &&
		    !is_among(entry.uid, ret, *count))
			ret[(*count)++] = entry.uid;
}

static bool has_known(const struct range *range, const uid_t *known, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (known[i] >= range->first && known[i] <= range->last)
			return true;
	return false;
}

bool subjects_choose(const struct rangeset *uids, bool unknown_too, size_t most, uid_t *ret,
		     size_t *ret_count, struct err *err)
{
	struct buffer passwd;
	size_t count = 0;

	if (!read_accounts("/etc/passwd", &passwd, err))
		return false;
	choose_known(&passwd, uids, true, most, ret, &count);
	for (size_t i = 0; i < uids->count && unknown_too && count < most; i++)
		if (!has_known(&uids->items[i], ret, count))
			ret[count++] = uids->items[i].first;
	choose_known(&passwd, uids, false, most, ret, &count);
	buffer_free(&passwd);
	if (!count && uids->count && most)
		ret[count++] = uids->items[0].first;
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
