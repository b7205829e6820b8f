/* users.h: from user names of a policy to uids, with their subordinate ranges; without nsswitch. */
#ifndef EGRESSFW_SYSTEM_USERS_H
#define EGRESSFW_SYSTEM_USERS_H

#include "base/err.h"
#include "base/rangeset.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where names come from; NULL means /etc/passwd, /etc/subuid. A missing file has no entries. */
struct users_files {
	const char *passwd;
	const char *subuid;
};

/*
 * The confined uids: `specs` (or, where it is empty, `named`, the --user options; where both are
 * given every --user must lie within the specs), names looked up in passwd, and the subuid ranges
 * of every user and uid among them added, of the uids in these ranges too. Refused: an unknown
 * name, nobody at all, uid 0 or 4294967295 in any range, the calling uid `self`, and a subuid line
 * of one of them that is not NAME:FIRST:COUNT or UID:FIRST:COUNT. Lines of other users are not
 * looked at, nor are lines of names that passwd does not know. `files` may be NULL. *ret_cannot,
 * always set: not the specs are wrong, but one of the files cannot be read, or a line of it.
 */
bool users_confined(const struct user_specs *specs, const struct user_specs *named, uid_t self,
		    const struct users_files *files, struct rangeset *ret, bool *ret_cannot,
		    struct err *err);

/*
 * The confined uids of a policy that names the exempt ones: all but 0 and these. Subordinate uids
 * of an exempt user are confined, unless they are exempt by themselves. Refused: an unknown name,
 * a --user who is exempt, nobody left; and a line of subuid that gives an exempt uid to a user who
 * is not exempt, or that may be about one and is not NAME:FIRST:COUNT or UID:FIRST:COUNT.
 * *ret_cannot as above.
 */
bool users_all_but(const struct user_specs *exempt, const struct user_specs *named,
		   const struct users_files *files, struct rangeset *ret, bool *ret_cannot,
		   struct err *err);

/*
 * One uid to probe as of every confined range: the lowest from 1000 on that has a line in passwd,
 * else the lowest that has one, else the first. Uids that this user namespace does not have are
 * left out (`uid_map`; NULL: /proc/self/uid_map). Two of them never touch, so that *ret has a range
 * for each. False: passwd cannot be read.
 */
bool users_representatives(const struct rangeset *confined, const struct users_files *files,
			   const char *uid_map, struct rangeset *ret, struct err *err);

/* Whether this user namespace has the uid, so that a process can become it; `uid_map` as above. */
bool users_is_here(uid_t uid, const char *uid_map);

/*
 * The uid of one user. *ret_found false: passwd has no such name. False: it cannot be read, or the
 * line about the name can be read in several ways; `field` is where the name comes from.
 */
bool users_find(const struct user_spec *spec, const char *field, const struct users_files *files,
		uid_t *ret, bool *ret_found, struct err *err);

/* The primary gid of a uid in passwd, or the uid itself where it has no entry. */
gid_t users_gid(uid_t uid, const struct users_files *files);

#endif
