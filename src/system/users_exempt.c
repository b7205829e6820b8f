/* users_exempt.c: the confined users where a policy names those that are not; and whom to probe as. */
#include "system/users.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "system/descriptor.h"
#include "system/user_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* (uid_t)-1 is nobody's; from FIRST_LOGIN on there are people and what runs for them. */
enum { FIRST_LOGIN = 1000 };
#define UID_LAST ((uint32_t)UINT32_MAX - 1)

static bool add_named(const struct user_specs *specs, const char *field,
		      const struct buffer *passwd, const struct users_files *files,
		      struct rangeset *uids, bool *ret_cannot, struct err *err)
{
	for (size_t i = 0; i < specs->count; i++) {
		const struct user_spec *spec = &specs->items[i];
		autofree char *where = user_entry_name(field, i);
		struct range range = spec->range;
		struct account account;

		if (spec->name) {
			if (!account_named(passwd, files, where, spec->name, &account, ret_cannot,
					   err))
				return false;
			range = (struct range){ account.uid, account.uid };
		}
		if (range.last > UID_LAST) {
			err_set(err, "%s: the last uid that there can be is 4294967294", where);
			return false;
		}
		rangeset_add(uids, range.first, range.last);
	}
	return true;
}

static bool overlaps(const struct rangeset *uids, uint64_t first, uint64_t count)
{
	for (size_t i = 0; i < uids->count; i++)
		if (count && first <= uids->items[i].last &&
		    first + count - 1 >= uids->items[i].first)
			return true;
	return false;
}

/* Whoever may become an exempt user by newuidmap(1) has to be exempt too, or strict is not. */
static bool check_line(const struct colon_fields *fields, const char *path, size_t number,
		       const struct rangeset *exempt, bool *ret_cannot, struct err *err)
{
	uint64_t first, count;

	*ret_cannot = !subuid_range(fields, &first, &count);
	if (*ret_cannot) {
		err_set(err,
			"%s: line %zu may be about a confined user and is not USER:FIRST:COUNT",
			path, number);
		return false;
	}
	if (!overlaps(exempt, first, count))
		return true;
	err_set(err,
		"%s: line %zu gives uids %" PRIu64 " to %" PRIu64 " to a confined user, and one of "
		"them is exempt",
		path, number, first, first + count - 1);
	return false;
}

static bool check_subordinates(const struct rangeset *exempt, const struct buffer *passwd,
			       const struct users_files *files, bool *ret_cannot, struct err *err)
{
	const char *path = users_subuid_path(files);
	struct account_index accounts;
	struct cursor cursor;
	struct buffer subuid;
	const uint8_t *line;
	size_t length, number = 0;
	bool present, ended, good = true;

	*ret_cannot = true;
	if (!descriptor_read_file(path, USERS_FILE_MAX, &subuid, &present, err))
		return false;
	accounts = account_index_new(passwd);
	cursor = cursor_over(subuid.data, subuid.length);
	while (good && cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;
		bool unclear;

		number++;
		colon_split(line, length, &fields);
		if (fields.length[0] && *line != '#' &&
		    !subuid_is_about(&fields, &accounts, exempt, &unclear))
			good = check_line(&fields, path, number, exempt, ret_cannot, err);
	}
	*ret_cannot = *ret_cannot && !good;
	account_index_free(&accounts);
	buffer_free(&subuid);
	return good;
}

/* Takes `exempt` out of all uids, and checks that --user, if it is there, is among what is left. */
static bool complement(const struct rangeset *exempt, const struct rangeset *chosen,
		       struct rangeset *ret, struct err *err)
{
	struct rangeset uids = { 0 };

	rangeset_add(&uids, 1, UID_LAST);
	rangeset_remove_all(&uids, exempt);
	if (uids.count && rangeset_covers(&uids, chosen)) {
		*ret = uids;
		return true;
	}
	if (uids.count)
		err_set(err, "--user: names a user whom exempt_users lets go free");
	else
		err_set(err, "exempt_users: nobody is confined: every uid is exempt");
	rangeset_free(&uids);
	return false;
}

bool users_all_but(const struct user_specs *exempt, const struct user_specs *named,
		   const struct users_files *files, struct rangeset *ret, bool *ret_cannot,
		   struct err *err)
{
	struct rangeset free_uids = { 0 }, chosen = { 0 };
	struct buffer passwd;
	bool present, good;

	*ret_cannot = true;
	if (!descriptor_read_file(users_passwd_path(files), USERS_FILE_MAX, &passwd, &present, err))
		return false;
	rangeset_add(&free_uids, 0, 0);
	*ret_cannot = false;
	good = add_named(exempt, "exempt_users", &passwd, files, &free_uids, ret_cannot, err) &&
	       add_named(named, "--user", &passwd, files, &chosen, ret_cannot, err) &&
	       check_subordinates(&free_uids, &passwd, files, ret_cannot, err) &&
	       complement(&free_uids, &chosen, ret, err);
	buffer_free(&passwd);
	rangeset_free(&free_uids);
	rangeset_free(&chosen);
	return good;
}

/*
 * The uids that this user namespace has (user_namespaces(7)): a process can become no other. All of
 * them where the kernel does not say.
 */
static struct rangeset mapped_uids(const char *uid_map)
{
	struct rangeset mapped = { 0 };
	FILE *map = fopen(uid_map ? uid_map : "/proc/self/uid_map", "re");
	uint32_t inside, outside, count;

	while (map &&
	       fscanf(map, "%" SCNu32 " %" SCNu32 " %" SCNu32, &inside, &outside, &count) == 3)
		if (count)
			rangeset_add(&mapped, inside, inside + (count - 1));
	if (map)
		fclose(map);
	if (!mapped.count)
		rangeset_add(&mapped, 0, UID_LAST);
	return mapped;
}

bool users_is_here(uid_t uid, const char *uid_map)
{
	struct rangeset mapped = mapped_uids(uid_map);
	bool here = rangeset_contains(&mapped, uid);

	rangeset_free(&mapped);
	return here;
}

/* Whether `uid` says more about the range than what was chosen before. */
static bool is_better(uint32_t uid, bool has_line, uint32_t chosen)
{
	if (!has_line)
		return true;
	if ((uid >= FIRST_LOGIN) != (chosen >= FIRST_LOGIN))
		return uid >= FIRST_LOGIN;
	return uid < chosen;
}

static uint32_t representative(const struct range *range, const struct buffer *passwd)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	uint32_t chosen = range->first;
	const uint8_t *line;
	bool ended, has_line = false;
	size_t length;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		struct colon_fields fields;
		uint64_t uid;

		colon_split(line, length, &fields);
		if (fields.count < 4 || !fields.length[0] ||
		    !colon_number(&fields, 2, UID_LAST, &uid) || uid < range->first ||
		    uid > range->last || !is_better((uint32_t)uid, has_line, chosen))
			continue;
		chosen = (uint32_t)uid;
		has_line = true;
	}
	return chosen;
}

bool users_representatives(const struct rangeset *confined, const struct users_files *files,
			   const char *uid_map, struct rangeset *ret, struct err *err)
{
	struct rangeset here = rangeset_copy(confined), gone = rangeset_copy(confined),
			mapped = mapped_uids(uid_map), chosen = { 0 };
	struct buffer passwd;
	bool present, good = descriptor_read_file(users_passwd_path(files), USERS_FILE_MAX, &passwd,
						  &present, err);

	rangeset_remove_all(&gone, &mapped);
	rangeset_remove_all(&here, &gone);
	for (size_t i = 0; good && i < here.count; i++) {
		uint32_t uid = representative(&here.items[i], &passwd);

		rangeset_add(&chosen, uid, uid);
	}
	if (good)
		buffer_free(&passwd);
	rangeset_free(&here);
	rangeset_free(&gone);
	rangeset_free(&mapped);
	if (good)
		*ret = chosen;
	return good;
}
