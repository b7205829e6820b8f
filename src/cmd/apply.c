/* apply.c: egressfw apply: from a policy to proven rules, and the end of all privilege. */
#include "cmd/apply.h"

#include "system/privilege.h"

static bool give_up_privilege(struct apply *apply, bool *ret_bounding_left, struct failure *failure)
{
	if (privilege_drop(ret_bounding_left, &failure->err))
		return true;
	return failure_set(failure, EXIT_CLOSED, "%s, but capabilities could not be dropped",
			   apply->state_left);
}

int cmd_apply(const struct options *options)
{
	struct reporting reporting;
	struct failure failure = { 0 };
	struct apply apply;
	bool good, bounding_left = false;
	int status;

	apply_begin(&apply, options);
	good = apply_read(&apply, &failure) && apply_carry_out(&apply, &failure) &&
	       give_up_privilege(&apply, &bounding_left, &failure);
	reporting = apply_reporting(&apply);
	reporting.dropped = good;
	reporting.bounding_left = bounding_left;
	status = reporting_print(&reporting, good ? EXIT_DONE : failure.status,
				 good ? NULL : &failure);
	apply_end(&apply);
	return status;
}
