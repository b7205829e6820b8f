/* identity.c: as whom a program is run: uid, groups, and what passwd(5) says; without nsswitch. */
#include "system/identity.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/colon_fields.h"
#include "system/descriptor.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	IDENTITY_FILE_MAX = 16 * 1024 * 1024,
	PASSWD_NAME = 0,
	PASSWD_UID = 2,
	PASSWD_GID = 3,
	PASSWD_HOME = 5,
	PASSWD_SHELL = 6,
	GROUP_GID = 2,
	GROUP_MEMBERS = 3,
};

/* A field as a string that the caller frees; the text instead where it is empty or not there. */
static char *copy_field(const struct colon_fields *fields, size_t index, const char *instead)
{
	if (index >= fields->count || !fields->length[index])
		return memory_copy_string(instead);
	return memory_format("%.*s", (int)fields->length[index], fields->text[index]);
}

static bool field_is(const struct colon_fields *fields, size_t index, const char *text)
{
	return fields->length[index] == strlen(text) &&
	       !memcmp(fields->text[index], text, fields->length[index]);
}

/*
 * The first entry of the name, or of the uid where there is no name. Fills in all but the groups;
 * false: there is none.
 */
static bool find_entry(const struct buffer *passwd, const struct user_spec *spec,
		       struct identity *ret)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	const uint8_t *line;
	size_t length;
	bool ended;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;
		uint64_t uid, gid;

		colon_split(line, length, &fields);
		if (fields.count <= PASSWD_GID || !fields.length[PASSWD_NAME] ||
		    !colon_number(&fields, PASSWD_UID, UINT32_MAX, &uid) ||
		    !colon_number(&fields, PASSWD_GID, UINT32_MAX, &gid))
			continue;
		if (spec->name ? !field_is(&fields, PASSWD_NAME, spec->name)
			       : uid != spec->range.first)
			continue;
		*ret = (struct identity){
			.uid = (uid_t)uid,
			.gid = (gid_t)gid,
			.name = copy_field(&fields, PASSWD_NAME, ""),
			.home = copy_field(&fields, PASSWD_HOME, "/"),
			.shell = copy_field(&fields, PASSWD_SHELL, "/bin/sh"),
		};
		return true;
	}
	return false;
}

/* group(5): members are separated by commas. */
static bool has_member(const struct colon_fields *fields, const char *name)
{
	const char *rest = fields->text[GROUP_MEMBERS];
	size_t left = fields->length[GROUP_MEMBERS], length = strlen(name);

	for (;;) {
		const char *comma = memchr(rest, ',', left);
		size_t part = comma ? (size_t)(comma - rest) : left;

		if (part == length && !memcmp(rest, name, length))
			return true;
		if (!comma)
			return false;
		rest += part + 1;
		left -= part + 1;
	}
}

static int compare_gids(const void *one, const void *other)
{
	gid_t left = *(const gid_t *)one, right = *(const gid_t *)other;

	return (left > right) - (left < right);
}

static void add_group(struct identity *identity, gid_t gid)
{
	size_t count = identity->group_count;

	/* Room for twice as many whenever the count is a power of two. */
	if (!(count & (count - 1)))
		identity->groups =
			memory_resize(identity->groups, count ? 2 * count : 1, sizeof(gid_t));
	identity->groups[identity->group_count++] = gid;
}

/* As the kernel keeps them, each once. */
static void sort_groups(struct identity *identity)
{
	size_t kept = 0;

	qsort(identity->groups, identity->group_count, sizeof(gid_t), compare_gids);
	for (size_t i = 0; i < identity->group_count; i++)
		if (!kept || identity->groups[i] != identity->groups[kept - 1])
			identity->groups[kept++] = identity->groups[i];
	identity->group_count = kept;
}

static bool add_groups(const char *path, struct identity *identity, struct err *err)
{
	const uint8_t *line;
	struct buffer text;
	struct cursor cursor;
	size_t length;
	bool present, ended;

	if (!descriptor_read_file(path, IDENTITY_FILE_MAX, &text, &present, err))
		return false;
	cursor = cursor_over(text.data, text.length);
	add_group(identity, identity->gid);
	while (cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;
		uint64_t gid;

		colon_split(line, length, &fields);
		/* The last number is nobody's: it means "unchanged". */
		if (fields.count > GROUP_MEMBERS &&
		    colon_number(&fields, GROUP_GID, UINT32_MAX - 1, &gid) &&
		    has_member(&fields, identity->name))
			add_group(identity, (gid_t)gid);
	}
	buffer_free(&text);
	sort_groups(identity);
	if (identity->group_count <= NGROUPS_MAX)
		return true;
	err_set(err, "user \"%s\" is in more than %d groups", identity->name, NGROUPS_MAX);
	return false;
}

static bool read_one(const struct user_spec *spec, const struct buffer *passwd, const char *path,
		     struct identity *ret, struct err *err)
{
	struct identity found;

	if (!spec->name && spec->range.first != spec->range.last) {
		err_set(err, "%" PRIu32 "-%" PRIu32 " is not one user to run a program as",
			spec->range.first, spec->range.last);
		return false;
	}
	if (!find_entry(passwd, spec, &found)) {
		if (spec->name) {
			err_set(err, "there is no user \"%s\" in %s", spec->name, path);
			return false;
		}
		found = (struct identity){
			.uid = spec->range.first,
			.gid = spec->range.first,
			.name = memory_format("%" PRIu32, spec->range.first),
			.home = memory_copy_string("/"),
			.shell = memory_copy_string("/bin/sh"),
		};
	}
	if (found.uid != 0 && found.uid != (uid_t)-1 && found.gid != (gid_t)-1) {
		*ret = found;
		return true;
	}
	err_set(err, "\"%s\" is uid %u, gid %u, as whom no program can be run confined", found.name,
		(unsigned)found.uid, (unsigned)found.gid);
	identity_free(&found);
	return false;
}

/* An entry that was asked for by its name stands before one that has the same uid. */
static bool choose(const struct user_specs *from, const struct buffer *passwd, const char *path,
		   struct identity *ret, struct err *err)
{
	struct identity chosen = { 0 };
	bool good = true, by_name = false;

	for (size_t i = 0; i < from->count && good; i++) {
		struct identity next;

		good = read_one(&from->items[i], passwd, path, &next, err);
		if (!good)
			break;
		if (i && next.uid != chosen.uid) {
			err_set(err,
				"uids %u and %u are two users: say with --user as which of them "
				"the program is to run",
				(unsigned)chosen.uid, (unsigned)next.uid);
			good = false;
		}
		if (good && (!i || (!by_name && from->items[i].name))) {
			identity_free(&chosen);
			chosen = next;
			by_name = from->items[i].name;
		} else {
			identity_free(&next);
		}
	}
	if (good)
		*ret = chosen;
	else
		identity_free(&chosen);
	return good;
}

bool identity_choose(const struct user_specs *specs, const struct user_specs *named,
		     const struct identity_files *files, struct identity *ret, bool *ret_cannot,
		     struct err *err)
{
	const char *path = files && files->passwd ? files->passwd : "/etc/passwd";
	const char *group = files && files->group ? files->group : "/etc/group";
	const struct user_specs *from = named->count ? named : specs;
	struct identity chosen;
	struct buffer passwd;
	bool present, good;

	*ret_cannot = false;
	if (!from->count) {
		err_set(err, "no user to run the program as: say which with --user");
		return false;
	}
	*ret_cannot = true;
	if (!descriptor_read_file(path, IDENTITY_FILE_MAX, &passwd, &present, err))
		return false;
	*ret_cannot = false;
	good = choose(from, &passwd, path, &chosen, err);
	buffer_free(&passwd);
	if (!good)
		return false;
	if (!add_groups(group, &chosen, err)) {
		*ret_cannot = true;
		identity_free(&chosen);
		return false;
	}
	*ret = chosen;
	return true;
}

void identity_free(struct identity *identity)
{
	free(identity->groups);
	free(identity->name);
	free(identity->home);
	free(identity->shell);
	*identity = (struct identity){ 0 };
}

struct privilege_ids identity_ids(const struct identity *identity)
{
	return (struct privilege_ids){ identity->uid, identity->gid, identity->groups,
				       identity->group_count };
}
