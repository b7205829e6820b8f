/* user_files.h: lines of passwd and subuid; without nsswitch. */
#ifndef EGRESSFW_SYSTEM_USER_FILES_H
#define EGRESSFW_SYSTEM_USER_FILES_H

#include "base/buffer.h"
#include "base/rangeset.h"
#include "system/colon_fields.h"
#include "system/users.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { USERS_FILE_MAX = 16 * 1024 * 1024 };

const char *users_passwd_path(const struct users_files *files);
const char *users_subuid_path(const struct users_files *files);

struct account {
	uid_t uid;
	gid_t gid;
};

/*
 * The first entry of passwd with the name, or with the uid where `name` is NULL. A line whose uid
 * or gid is no number is no entry.
 */
bool account_find(const struct buffer *passwd, const char *name, size_t name_length, uid_t uid,
		  struct account *ret);

/* Whether a line of subuid is about one of the uids, by name or by number. */
bool subuid_is_about(const struct colon_fields *fields, const struct buffer *passwd,
		     const struct rangeset *uids);

/* What it gives. False: it is not USER:FIRST:COUNT in numbers that every program reads alike. */
bool subuid_range(const struct colon_fields *fields, uint64_t *ret_first, uint64_t *ret_count);

#endif
