/* identity.h: as whom a program is run: uid, groups, and what passwd(5) says; without nsswitch. */
#ifndef EGRESSFW_SYSTEM_IDENTITY_H
#define EGRESSFW_SYSTEM_IDENTITY_H

#include "base/err.h"
#include "policy/policy.h"
#include "system/privilege.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct identity {
	uid_t uid;
	gid_t gid;     /* of passwd; the uid as a number where that has no entry */
	gid_t *groups; /* gid, and those of group(5) that list the name; sorted, each once */
	size_t group_count;
	char *name;  /* the uid in digits where passwd has no entry */
	char *home;  /* "/" where passwd says nothing */
	char *shell; /* "/bin/sh" where passwd says nothing */
};

/* NULL means /etc/passwd and /etc/group. A missing file has no entries. */
struct identity_files {
	const char *passwd;
	const char *group;
};

/*
 * The one user that results from `specs` (the policy's users) and `named` (--user): of `named`
 * where there are any, else of `specs`; several that are the same uid are one. Refused: nobody,
 * more than one, a name that passwd does not know, uid or gid 4294967295, uid 0. Whether the user
 * is confined is not looked at. *ret_cannot, always set: not the specs are wrong, but a file cannot
 * be read, or has too many groups.
 */
bool identity_choose(const struct user_specs *specs, const struct user_specs *named,
		     const struct identity_files *files, struct identity *ret, bool *ret_cannot,
		     struct err *err);
void identity_free(struct identity *identity);

/* What a process takes to be this identity; borrows its groups. */
struct privilege_ids identity_ids(const struct identity *identity);

#endif
