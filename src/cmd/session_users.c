/* session_users.c: whom a policy confines, and as whom its filter runs. */
#include "cmd/session.h"

#include "base/memory.h"
#include "system/users.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who is confined by the policy's users, or by its exempt users and perhaps one more. */
static bool find_confined(struct session *session, const struct user_specs *exempt,
			  struct rangeset *ret, bool *ret_cannot, struct err *err)
{
	static const struct users_files files = { NULL, NULL };
	const struct user_specs *named = &session->options->users;

	return exempt->count ? users_all_but(exempt, named, &files, ret, ret_cannot, err)
			     : users_confined(&session->policy.users, named, (uid_t)-1, &files, ret,
					      ret_cannot, err);
}

/*
 * A filter's user among those whom a strict policy confines is taken out of them, with all that
 * holds for an exempt one: nobody confined may become it.
 */
static bool set_filter_apart(struct session *session, bool *ret_cannot, struct err *err)
{
	const struct user_specs *exempt = &session->policy.exempt_users;
	struct user_spec own = { .range = { session->filter.uid, session->filter.uid } };
	struct user_specs all = {
		.items = memory_allocate(exempt->count + 1, sizeof(*all.items)),
		.count = exempt->count + 1,
	};
	struct rangeset confined;
	bool good;

	memcpy(all.items, exempt->items, exempt->count * sizeof(*all.items));
	all.items[exempt->count] = own;
	good = find_confined(session, &all, &confined, ret_cannot, err);
	free(all.items);
	if (!good)
		return false;
	rangeset_free(&session->confined);
	session->confined = confined;
	return true;
}

static bool find_filter_uid(struct session *session, bool *ret_cannot, struct err *err)
{
	const struct user_spec usual = { .name = (char[]){ FILTER_USER_NAME } };
	const char *option = session->options->filter_user;
	struct user_spec named = { 0 };
	uid_t uid = FILTER_UID_DEFAULT;
	bool found, good;

	*ret_cannot = true;
	if (!users_find(&usual, "the filter's user", NULL, &uid, &found, err))
		return false;
	*ret_cannot = false;
	session->usual_filter_uid = uid;
	if (!option) {
		session->filter.uid = session->filter_uid ? session->filter_uid : uid;
		return true;
	}
	if (!user_spec_parse(option, &named, err))
		return false;
	good = users_find(&named, "--filter-user", NULL, &uid, &found, err);
	*ret_cannot = !good;
	if (good && !found) {
		err_set(err, "--filter-user: there is no user \"%.64s\" in /etc/passwd", option);
		good = false;
	}
	user_spec_free(&named);
	session->filter.uid = uid;
	return good;
}

/* *ret_cannot: the machine is in the way, and not what was said. */
static bool find_filter_user(struct session *session, bool *ret_cannot, struct err *err)
{
	struct rangeset exempt = { 0 }, nobody = { 0 };
	bool strict = session->policy.exempt_users.count, good;

	if (!find_filter_uid(session, ret_cannot, err))
		return false;
	if (strict) {
		rangeset_add(&exempt, 0, UID_LAST);
		rangeset_remove_all(&exempt, &session->confined);
	}
	good = filter_uid_check(session->filter.uid, strict ? &nobody : &session->confined, &exempt,
				err);
	rangeset_free(&exempt);
	if (good && session->filter.uid == getuid()) {
		err_set(err, "uid %u runs egressfw, and cannot be the filter's",
			(unsigned)getuid());
		good = false;
	}
	return good && (!strict || set_filter_apart(session, ret_cannot, err));
}

static bool add_names(const struct user_specs *specs, struct named_users *ret, struct err *err)
{
	for (size_t i = 0; i < specs->count; i++) {
		bool found;
		uid_t uid;

		if (!specs->items[i].name)
			continue;
		if (!users_find(&specs->items[i], "the policy", NULL, &uid, &found, err))
			return false;
		if (found)
			named_users_add(ret, specs->items[i].name, uid);
	}
	return true;
}

static bool find_names(struct session *session, struct err *err)
{
	const struct policy *policy = &session->policy;
	bool named = policy->users.count || policy->exempt_users.count;

	return add_names(&policy->users, &session->names, err) &&
	       add_names(&policy->exempt_users, &session->names, err) &&
	       (named || add_names(&session->options->users, &session->names, err));
}

bool session_find_users(struct session *session, struct failure *failure)
{
	static const struct users_files files = { NULL, NULL };
	const struct policy *policy = &session->policy;
	bool good, cannot;

	if (policy->mode == MODE_PUBLIC && !policy->users.count && !policy->exempt_users.count &&
	    !session->options->users.count)
		return true;
	session->filtered =
		policy->mode != MODE_PUBLIC && policy_enforcement(policy) == ENFORCE_FILTER;
	good = find_confined(session, &policy->exempt_users, &session->confined, &cannot,
			     &failure->err) &&
	       (!session->filtered || find_filter_user(session, &cannot, &failure->err));
	if (good) {
		good = users_representatives(&session->confined, &files, NULL, &session->probed,
					     &failure->err) &&
		       find_names(session, &failure->err);
		cannot = !good;
	}
	if (good)
		return true;
	err_wrap(&failure->err, "%s", session->policy_name);
	return failure_set(failure, cannot ? EXIT_CANNOT : EXIT_USAGE, NOTHING_CHANGED);
}

bool session_take_filter_uid(struct session *session, uint32_t uid, struct failure *failure)
{
	if (!session->filtered || session->options->filter_user || session->filter.uid == uid)
		return true;
	session->filter_uid = uid;
	rangeset_free(&session->confined);
	rangeset_free(&session->probed);
	return session_find_users(session, failure);
}

bool session_check_probed(const struct session *session, struct failure *failure)
{
	struct buffer uids = { 0 };

	if (session->probed.count)
		return true;
	rangeset_print(&session->confined, &uids);
	err_set(&failure->err,
		"of the confined users (uid %.200s) this user namespace has none, so that there is "
		"nobody as whom the canary could probe: map one of them into it",
		buffer_string(&uids));
	buffer_free(&uids);
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}
