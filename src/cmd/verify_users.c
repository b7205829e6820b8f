/* verify_users.c: whether the users whom a policy named are still who they were. */
#include "cmd/verify_users.h"

#include "base/memory.h"
#include "system/users.h"

bool verify_compare_users(const struct plan *kept, struct findings *findings, struct err *err)
{
	for (size_t i = 0; i < kept->names.count; i++) {
		const struct named_user *user = &kept->names.items[i];
		const struct user_spec spec = { .name = user->name };
		bool found;
		uid_t uid;

		if (!users_find(&spec, "the plan", NULL, &uid, &found, err))
			return false;
		if (found && uid != user->uid)
			findings_add(
				findings, FINDING_USER_CHANGED,
				memory_format("user \"%s\"", user->name),
				memory_format("wanted: uid %u, as when it was applied, found in "
					      "/etc/passwd: uid %u",
					      (unsigned)user->uid, (unsigned)uid));
	}
	return true;
}
