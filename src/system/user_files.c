/* user_files.c: lines of passwd and subuid; without nsswitch. */
#include "system/user_files.h"

#include "base/cursor.h"

#include <string.h>

enum line_about { ABOUT_NOBODY, ABOUT_ACCOUNT, ABOUT_UNCLEAR };

/* C libraries skip blanks before a name, and some take a sign or blanks with a number. */
static bool is_named(const struct colon_fields *fields, const char *name, size_t length)
{
	const char *text = fields->text[0];
	size_t left = fields->length[0];

	for (; left && (*text == ' ' || *text == '\t'); left--)
		text++;
	return left && left == length && !memcmp(text, name, length);
}

/* Whether a line of passwd is an account: with the name, or with the uid where that is NULL. */
static enum line_about read_line(const struct colon_fields *fields, const char *name, size_t length,
				 uid_t uid, struct account *ret)
{
	uint64_t found_uid, found_gid;
	bool plain = fields->count >= 4 && fields->length[0] &&
		     colon_number(fields, 2, UINT32_MAX, &found_uid) &&
		     colon_number(fields, 3, UINT32_MAX, &found_gid);

	if (name && !is_named(fields, name, length))
		return ABOUT_NOBODY;
	if (name && (!plain || fields->length[0] != length))
		return ABOUT_UNCLEAR;
	if (!plain || (!name && found_uid != uid))
		return ABOUT_NOBODY;
	*ret = (struct account){ .uid = (uid_t)found_uid, .gid = (gid_t)found_gid };
	return ABOUT_ACCOUNT;
}

bool account_find(const struct buffer *passwd, const char *name, size_t name_length, uid_t uid,
		  struct account *ret, size_t *ret_unclear)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	size_t length, number = 0;
	const uint8_t *line;
	bool ended;

	*ret_unclear = 0;
	while (cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;

		number++;
		colon_split(line, length, &fields);
		switch (read_line(&fields, name, name_length, uid, ret)) {
		case ABOUT_ACCOUNT:
			return true;
		case ABOUT_UNCLEAR:
			*ret_unclear = number;
			return false;
		case ABOUT_NOBODY:
			break;
		}
	}
	return false;
}

bool account_named(const struct buffer *passwd, const struct users_files *files, const char *field,
		   const char *name, struct account *ret, struct err *err)
{
	size_t unclear;

	if (account_find(passwd, name, strlen(name), 0, ret, &unclear))
		return true;
	if (unclear)
		err_set(err,
			"%s: line %zu of %s is about the user \"%s\", and programs read it in "
			"different ways: wanted is NAME:PASSWORD:UID:GID, without blanks or signs",
			field, unclear, users_passwd_path(files), name);
	else
		err_set(err, "%s: there is no user \"%s\" in %s", field, name,
			users_passwd_path(files));
	return false;
}

const char *users_passwd_path(const struct users_files *files)
{
	return files && files->passwd ? files->passwd : "/etc/passwd";
}

const char *users_subuid_path(const struct users_files *files)
{
	return files && files->subuid ? files->subuid : "/etc/subuid";
}

/* Programs that read a leading zero as octal mean another number than those that do not. */
static bool field_is_ambiguous(const struct colon_fields *fields, size_t index)
{
	return fields->length[index] > 1 && fields->text[index][0] == '0';
}

bool subuid_is_about(const struct colon_fields *fields, const struct buffer *passwd,
		     const struct rangeset *uids, bool *ret_unclear)
{
	struct account account;
	size_t unclear;
	uint64_t uid;

	*ret_unclear = false;
	if (!fields->length[0])
		return false;
	if (account_find(passwd, fields->text[0], fields->length[0], 0, &account, &unclear) &&
	    rangeset_contains(uids, account.uid))
		return true;
	*ret_unclear = unclear;
	return !field_is_ambiguous(fields, 0) && colon_number(fields, 0, UINT32_MAX, &uid) &&
	       rangeset_contains(uids, (uint32_t)uid);
}

bool subuid_range(const struct colon_fields *fields, uint64_t *ret_first, uint64_t *ret_count)
{
	return fields->count == 3 && !field_is_ambiguous(fields, 1) &&
	       !field_is_ambiguous(fields, 2) && colon_number(fields, 1, UINT32_MAX, ret_first) &&
	       colon_number(fields, 2, (uint64_t)UINT32_MAX + 1, ret_count);
}
