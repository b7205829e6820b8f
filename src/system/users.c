/* users.c: from user names of a policy to uids, with their subordinate ranges; without nsswitch. */
#include "system/users.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/descriptor.h"
#include "system/user_files.h"

#include <inttypes.h>
#include <string.h>

#define UID_LAST ((uint32_t)UINT32_MAX - 1) /* (uid_t)-1 is nobody's: it means "unchanged" */

/* Why these uids cannot be confined; NULL where they can. */
static const char *range_refusal(uint64_t first, uint64_t last, uid_t self)
{
	if (first == 0)
		return "uid 0, root, cannot be confined";
	if (last > UID_LAST)
		return "the last uid that there can be is 4294967294";
	if (first <= self && self <= last)
		return "the uid that runs egressfw cannot be confined";
	return NULL;
}

/* Adds the uids that the specs mean; `field` names where they come from. */
static bool add_specs(const struct user_specs *specs, const char *field, uid_t self,
		      const struct buffer *passwd, const struct users_files *files,
		      struct rangeset *uids, bool *ret_cannot, struct err *err)
{
	for (size_t i = 0; i < specs->count; i++) {
		const struct user_spec *spec = &specs->items[i];
		autofree char *where = user_entry_name(field, i);
		struct range range = spec->range;
		struct account account;
		const char *refusal;

		if (spec->name) {
			if (!account_named(passwd, files, where, spec->name, &account, ret_cannot,
					   err))
				return false;
			range = (struct range){ account.uid, account.uid };
		}
		refusal = range_refusal(range.first, range.last, self);
		if (refusal && spec->name)
			err_set(err, "%s: \"%s\" is uid %" PRIu32 ": %s", where, spec->name,
				range.first, refusal);
		else if (refusal)
			err_set(err, "%s: %" PRIu32 "-%" PRIu32 ": %s", where, range.first,
				range.last, refusal);
		if (refusal)
			return false;
		rangeset_add(uids, range.first, range.last);
	}
	return true;
}

/* Adds the range of one line. Others may read a malformed one otherwise, so it is an error. */
static bool add_line(const struct colon_fields *fields, const char *path, size_t number, uid_t self,
		     struct rangeset *uids, bool *ret_cannot, struct err *err)
{
	uint64_t first, count;
	const char *refusal;

	*ret_cannot = !subuid_range(fields, &first, &count);
	if (*ret_cannot) {
		err_set(err, "%s: line %zu belongs to a confined user and is not USER:FIRST:COUNT",
			path, number);
		return false;
	}
	if (!count)
		return true;
	refusal = range_refusal(first, first + count - 1, self);
	if (refusal) {
		err_set(err,
			"%s: line %zu gives uids %" PRIu64 " to %" PRIu64 " to a confined user: %s",
			path, number, first, first + count - 1, refusal);
		return false;
	}
	rangeset_add(uids, (uint32_t)first, (uint32_t)(first + count - 1));
	return true;
}

static bool add_subordinates(const struct buffer *passwd, const struct users_files *files,
			     uid_t self, struct rangeset *uids, bool *ret_cannot, struct err *err)
{
	struct account_index accounts;
	struct buffer subuid;
	struct rangeset before;
	bool present, good, same = false;

	*ret_cannot = true;
	if (!descriptor_read_file(users_subuid_path(files), USERS_FILE_MAX, &subuid, &present, err))
		return false;
	accounts = account_index_new(passwd);
	for (good = true; good && !same;) {
		struct cursor cursor = cursor_over(subuid.data, subuid.length);
		const uint8_t *line;
		size_t length, number = 0;
		bool ended;

		before = rangeset_copy(uids);
		while (good && cursor_line(&cursor, &line, &length, &ended)) {
			struct colon_fields fields;
			bool unclear;

			number++;
			colon_split(line, length, &fields);
			/* Rather one too many is confined than one too few. */
			if (subuid_is_about(&fields, &accounts, uids, &unclear) || unclear)
				good = add_line(&fields, users_subuid_path(files), number, self,
						uids, ret_cannot, err);
		}
		/* A line further up may be about a uid that was only just added. */
		same = rangeset_equal(&before, uids);
		rangeset_free(&before);
	}
	account_index_free(&accounts);
	buffer_free(&subuid);
	*ret_cannot = *ret_cannot && !good;
	return good;
}

static bool collect(const struct user_specs *specs, const struct user_specs *named, uid_t self,
		    const struct buffer *passwd, const struct users_files *files,
		    struct rangeset *uids, bool *ret_cannot, struct err *err)
{
	struct rangeset chosen = { 0 };
	bool good;

	if (!specs->count && !named->count) {
		err_set(err,
			"nobody is confined: the policy has no \"users\" and there is no --user");
		return false;
	}
	if (!specs->count)
		return add_specs(named, "--user", self, passwd, files, uids, ret_cannot, err);
	good = add_specs(specs, "users", self, passwd, files, uids, ret_cannot, err) &&
	       add_specs(named, "--user", self, passwd, files, &chosen, ret_cannot, err);
	if (good && !rangeset_covers(uids, &chosen)) {
		err_set(err, "--user: names a user who is not among the \"users\" of the policy");
		good = false;
	}
	rangeset_free(&chosen);
	return good;
}

bool users_confined(const struct user_specs *specs, const struct user_specs *named, uid_t self,
		    const struct users_files *files, struct rangeset *ret, bool *ret_cannot,
		    struct err *err)
{
	struct rangeset uids = { 0 };
	struct buffer passwd;
	bool present, good;

	*ret_cannot = true;
	if (!descriptor_read_file(users_passwd_path(files), USERS_FILE_MAX, &passwd, &present, err))
		return false;
	*ret_cannot = false;
	good = collect(specs, named, self, &passwd, files, &uids, ret_cannot, err);
	good = good && add_subordinates(&passwd, files, self, &uids, ret_cannot, err);
	buffer_free(&passwd);
	if (good)
		*ret = uids;
	else
		rangeset_free(&uids);
	return good;
}

bool users_find(const struct user_spec *spec, const char *field, const struct users_files *files,
		uid_t *ret, bool *ret_found, struct err *err)
{
	struct account account = { .uid = spec->range.first };
	struct buffer passwd;
	bool present, unclear = false;

	*ret_found = true;
	if (spec->name) {
		struct err absent;

		if (!descriptor_read_file(users_passwd_path(files), USERS_FILE_MAX, &passwd,
					  &present, err))
			return false;
		*ret_found = account_named(&passwd, files, field, spec->name, &account, &unclear,
					   &absent);
		buffer_free(&passwd);
		if (unclear) {
			*err = absent;
			return false;
		}
	}
	if (*ret_found)
		*ret = account.uid;
	return true;
}

gid_t users_gid(uid_t uid, const struct users_files *files)
{
	struct account account;
	struct buffer passwd;
	struct err ignored;
	gid_t gid = uid;
	size_t unclear;
	bool present;

	if (!descriptor_read_file(users_passwd_path(files), USERS_FILE_MAX, &passwd, &present,
				  &ignored))
		return gid;
	if (account_find(&passwd, NULL, 0, uid, &account, &unclear) && account.gid != (gid_t)-1)
		gid = account.gid;
	buffer_free(&passwd);
	return gid;
}
