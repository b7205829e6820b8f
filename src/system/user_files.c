/* user_files.c: lines of passwd and subuid; without nsswitch. */
#include "system/user_files.h"

#include "base/cursor.h"

#include <string.h>

bool account_find(const struct buffer *passwd, const char *name, size_t name_length, uid_t uid,
		  struct account *ret)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	const uint8_t *line;
	size_t length;
	bool ended;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;
		uint64_t found_uid, found_gid;

		colon_split(line, length, &fields);
		if (fields.count < 4 || !fields.length[0] ||
		    !colon_number(&fields, 2, UINT32_MAX, &found_uid) ||
		    !colon_number(&fields, 3, UINT32_MAX, &found_gid))
			continue;
		if (name ? fields.length[0] != name_length ||
				    memcmp(fields.text[0], name, name_length)
			 : found_uid != uid)
			continue;
		*ret = (struct account){ .uid = (uid_t)found_uid, .gid = (gid_t)found_gid };
		return true;
	}
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
		     const struct rangeset *uids)
{
	struct account account;
	uint64_t uid;

	if (!fields->length[0])
		return false;
	if (account_find(passwd, fields->text[0], fields->length[0], 0, &account) &&
	    rangeset_contains(uids, account.uid))
		return true;
	return !field_is_ambiguous(fields, 0) && colon_number(fields, 0, UINT32_MAX, &uid) &&
	       rangeset_contains(uids, (uint32_t)uid);
}

bool subuid_range(const struct colon_fields *fields, uint64_t *ret_first, uint64_t *ret_count)
{
	return fields->count == 3 && !field_is_ambiguous(fields, 1) &&
	       !field_is_ambiguous(fields, 2) && colon_number(fields, 1, UINT32_MAX, ret_first) &&
	       colon_number(fields, 2, (uint64_t)UINT32_MAX + 1, ret_count);
}
