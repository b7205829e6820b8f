/* user_files.c: lines of passwd and subuid; without nsswitch. */
#include "system/user_files.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <string.h>

bool account_read(const uint8_t *line, size_t length, struct account_line *ret)
{
	struct colon_fields fields;
	uint64_t uid = 0, gid = 0;
	size_t blanks = 0;

	colon_split(line, length, &fields);
	while (blanks < fields.length[0] &&
	       (fields.text[0][blanks] == ' ' || fields.text[0][blanks] == '\t'))
		blanks++;
	*ret = (struct account_line){ .name = fields.text[0] + blanks,
				      .length = fields.length[0] - blanks };
	ret->plain = !blanks && fields.count >= 4 && colon_number(&fields, 2, UINT32_MAX, &uid) &&
		     colon_number(&fields, 3, UINT32_MAX, &gid);
	ret->account = (struct account){ .uid = (uid_t)uid, .gid = (gid_t)gid };
	return ret->length;
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
		struct account_line found;

		number++;
		if (!account_read(line, length, &found))
			continue;
		if (name ? found.length != name_length || memcmp(found.name, name, name_length)
			 : !found.plain || found.account.uid != uid)
			continue;
		if (found.plain)
			*ret = found.account;
		else
			*ret_unclear = number;
		return found.plain;
	}
	return false;
}

char *user_entry_name(const char *field, size_t index)
{
	return *field == '-' ? memory_copy_string(field) : memory_format("%s[%zu]", field, index);
}

bool account_named(const struct buffer *passwd, const struct users_files *files, const char *field,
		   const char *name, struct account *ret, bool *ret_cannot, struct err *err)
{
	size_t unclear;

	if (account_find(passwd, name, strlen(name), 0, ret, &unclear))
		return true;
	*ret_cannot = unclear;
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

bool subuid_is_about(const struct colon_fields *fields, const struct account_index *accounts,
		     const struct rangeset *uids, bool *ret_unclear)
{
	const struct account_line *owner;
	uint64_t uid;

	*ret_unclear = false;
	if (!fields->length[0])
		return false;
	owner = account_index_find(accounts, fields->text[0], fields->length[0]);
	if (owner && owner->plain && rangeset_contains(uids, owner->account.uid))
		return true;
	*ret_unclear = owner && !owner->plain;
	return !field_is_ambiguous(fields, 0) && colon_number(fields, 0, UINT32_MAX, &uid) &&
	       rangeset_contains(uids, (uint32_t)uid);
}

bool subuid_range(const struct colon_fields *fields, uint64_t *ret_first, uint64_t *ret_count)
{
	return fields->count == 3 && !field_is_ambiguous(fields, 1) &&
	       !field_is_ambiguous(fields, 2) && colon_number(fields, 1, UINT32_MAX, ret_first) &&
	       colon_number(fields, 2, (uint64_t)UINT32_MAX + 1, ret_count);
}
