/* user_files.h: lines of passwd and subuid; without nsswitch. */
#ifndef EGRESSFW_SYSTEM_USER_FILES_H
#define EGRESSFW_SYSTEM_USER_FILES_H

#include "base/buffer.h"
#include "base/err.h"
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

/* What a line of passwd is about. */
struct account_line {
	const char
		*name; /* belongs to the line; without blanks before it, which C libraries skip */
	size_t length;
	bool plain; /* NAME:PASSWORD:UID:GID in plain numbers, which all programs read alike */
	struct account account; /* where it is plain */
};

/* False: about nobody. */
bool account_read(const uint8_t *line, size_t length, struct account_line *ret);

/*
 * The first entry of passwd with the name, or with the uid where `name` is NULL; there a line whose
 * uid or gid is no number is no entry. *ret_unclear: the number of a line about the name which
 * programs read in different ways, and after which nobody is looked for; else 0.
 */
bool account_find(const struct buffer *passwd, const char *name, size_t name_length, uid_t uid,
		  struct account *ret, size_t *ret_unclear);

/* "users[2]", as messages about a policy have it; "--user" as it is. The caller's to free. */
char *user_entry_name(const char *field, size_t index);

/*
 * The same by name, where there has to be one: `field` names where the name comes from. *ret_cannot,
 * set where it is false: the line about the name is unclear.
 */
bool account_named(const struct buffer *passwd, const struct users_files *files, const char *field,
		   const char *name, struct account *ret, bool *ret_cannot, struct err *err);

/* All of passwd by name, for those who ask about many; it must stay as long. */
struct account_index {
	struct account_line *items;
	size_t count;
};

/* Free it with account_index_free(). */
struct account_index account_index_new(const struct buffer *passwd);
void account_index_free(struct account_index *index);

/* The first line about the name, or NULL. */
const struct account_line *account_index_find(const struct account_index *index, const char *name,
					      size_t length);

/*
 * Whether a line of subuid is about one of the uids, by name or by number. *ret_unclear: passwd
 * does not tell whom its name means.
 */
bool subuid_is_about(const struct colon_fields *fields, const struct account_index *accounts,
		     const struct rangeset *uids, bool *ret_unclear);

/* What it gives. False: it is not USER:FIRST:COUNT in numbers that every program reads alike. */
bool subuid_range(const struct colon_fields *fields, uint64_t *ret_first, uint64_t *ret_count);

#endif
