/* program_user.c: as whom egressfilter runs. */
#include "filter/program_user.h"

#include "base/memory.h"
#include "plan/filter_plan.h"
#include "system/become_user.h"
#include "system/privilege.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* False: *ret_status is PROGRAM_USAGE where the user is named wrongly, and otherwise stays. */
static bool become(const char *name, enum program_status *ret_status, struct err *err)
{
	struct user_specs none = { 0 }, named = { 0 };
	struct identity identity;
	struct user_spec spec;
	bool good, cannot = false;

	if (!filter_user_parse(name, &spec, err)) {
		*ret_status = PROGRAM_USAGE;
		return false;
	}
	named.items = &spec;
	named.count = 1;
	good = identity_choose(&none, &named, NULL, &identity, &cannot, err);
	user_spec_free(&spec);
	if (!good) {
		if (!cannot)
			*ret_status = PROGRAM_USAGE;
		return false;
	}
	good = become_user(&identity, err);
	identity_free(&identity);
	return good;
}

/*
 * Root only looks at settings: as whose they are, who may read them and whom they must belong to.
 */
static bool become_owner(const char *settings, enum program_status *ret_status, struct err *err)
{
	autofree char *owner = NULL;
	struct stat status;

	/* Of what cannot be examined the reading says why. */
	if (!strcmp(settings, "-") || stat(settings, &status) || status.st_uid == 0)
		return true;
	owner = memory_format("%u", (unsigned)status.st_uid);
	return become(owner, ret_status, err);
}

bool program_become_user(const struct program_options *options, enum program_status *ret_status,
			 struct err *err)
{
	const char *name = options->user;

	*ret_status = PROGRAM_CANNOT;
	if (!privilege_begin(err))
		return false;
	if (name && geteuid() == 0) {
		if (become(name, ret_status, err))
			return true;
		err_wrap(err, "--user");
		return false;
	}
	if (name) {
		err_set(err, "--user: only root can become another user");
		return false;
	}
	if (geteuid() == 0 && options->check)
		return become_owner(options->settings, ret_status, err);
	if (geteuid() == 0) {
		err_set(err, "started as root: name a user of its own by --user");
		return false;
	}
	return true;
}
