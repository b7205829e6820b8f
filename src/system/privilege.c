/* privilege.c: capabilities in named stages, each read back. */
#include "system/privilege.h"

#include "base/memory.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Sets of our own capabilities: bit P stands for enum privilege P. */
typedef unsigned privileges;

static const struct {
	cap_value_t value;
	const char *name;
} capabilities[] = {
	[PRIVILEGE_NET_ADMIN] = { CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	[PRIVILEGE_SETUID] = { CAP_SETUID, "CAP_SETUID" },
	[PRIVILEGE_SETGID] = { CAP_SETGID, "CAP_SETGID" },
	[PRIVILEGE_SETPCAP] = { CAP_SETPCAP, "CAP_SETPCAP" },
};
_Static_assert(sizeof(capabilities) / sizeof(capabilities[0]) == PRIVILEGES,
	       "one row per privilege");

static void free_sets(cap_t *sets)
{
	if (*sets)
		cap_free(*sets);
}
#define autosets __attribute__((cleanup(free_sets)))

const char *privilege_name(enum privilege privilege)
{
	return capabilities[privilege].name;
}

/* Which of ours the kernel has in one set of this process. */
static bool read_set(cap_flag_t flag, privileges *ret, struct err *err)
{
	autosets cap_t sets = cap_get_proc();
	privileges found = 0;

	if (!sets) {
		err_set_errno(err, errno, "cannot read the capabilities of this process");
		return false;
	}
	for (unsigned i = 0; i < PRIVILEGES; i++) {
		cap_flag_value_t value;

		if (cap_get_flag(sets, capabilities[i].value, flag, &value)) {
			err_set_errno(err, errno, "cannot tell whether %s is there",
				      capabilities[i].name);
			return false;
		}
		if (value == CAP_SET)
			found |= 1U << i;
	}
	*ret = found;
	return true;
}

static void put_flags(cap_t sets, cap_flag_t flag, privileges wanted)
{
	for (unsigned i = 0; i < PRIVILEGES; i++)
		if (wanted & 1U << i &&
		    cap_set_flag(sets, flag, 1, &capabilities[i].value, CAP_SET))
			memory_exhausted();
}

/* Makes permitted and effective exactly these and inheritable empty, and reads all three back. */
static bool write_sets(privileges permitted, privileges effective, struct err *err)
{
	autosets cap_t wanted = cap_init();
	autosets cap_t found = NULL;

	if (!wanted)
		memory_exhausted();
	put_flags(wanted, CAP_PERMITTED, permitted);
	put_flags(wanted, CAP_EFFECTIVE, effective);
	if (cap_set_proc(wanted)) {
		err_set_errno(err, errno, "cannot set the capabilities of this process");
		return false;
	}
	found = cap_get_proc();
	if (!found) {
		err_set_errno(err, errno, "cannot read back the capabilities of this process");
		return false;
	}
	if (cap_compare(wanted, found)) {
		err_set(err, "the capabilities read back are not the ones that were set");
		return false;
	}
	return true;
}

/* A kernel without an ambient set has nothing to clear. */
static bool clear_ambient(struct err *err)
{
	if (!CAP_AMBIENT_SUPPORTED())
		return true;
	if (cap_reset_ambient()) {
		err_set_errno(err, errno, "cannot clear the ambient capabilities");
		return false;
	}
	for (cap_value_t value = 0; value < cap_max_bits(); value++) {
		if (cap_get_ambient(value) != 0) {
			err_set(err, "ambient capability %d is still there after clearing",
				(int)value);
			return false;
		}
	}
	return true;
}

/* Empties the bounding set where CAP_SETPCAP is permitted; *ret_left: something is in it. */
static bool clear_bounding(bool *ret_left, struct err *err)
{
	bool left = false;

	if (cap_get_bound(0) < 0) {
		err_set_errno(err, errno, "cannot read the capability bounding set");
		return false;
	}
	if (privilege_is_permitted(PRIVILEGE_SETPCAP)) {
		if (!privilege_raise(PRIVILEGE_SETPCAP, err))
			return false;
		for (cap_value_t value = 0; value < cap_max_bits(); value++) {
			if (cap_drop_bound(value)) {
				err_set_errno(err, errno,
					      "cannot take capability %d out of the bounding set",
					      (int)value);
				return false;
			}
		}
		if (!privilege_lower(err))
			return false;
	}
	for (cap_value_t value = 0; value < cap_max_bits(); value++)
		left |= cap_get_bound(value) != 0;
	if (left && privilege_is_permitted(PRIVILEGE_SETPCAP)) {
		err_set(err, "the capability bounding set is not empty after emptying it");
		return false;
	}
	*ret_left = left;
	return true;
}

static bool forbid_new_privileges(struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		err_set_errno(err, errno, "cannot set no_new_privs");
		return false;
	}
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		err_set(err, "no_new_privs is not set after setting it");
		return false;
	}
	return true;
}

bool privilege_begin(struct err *err)
{
	privileges permitted;

	if (getauxval(AT_SECURE)) {
		err_set(err, "started setuid, setgid or with file capabilities, which is refused: "
			     "let a process that has CAP_NET_ADMIN start it instead");
		return false;
	}
	return read_set(CAP_PERMITTED, &permitted, err) && clear_ambient(err) &&
	       write_sets(permitted, 0, err);
}

bool privilege_is_permitted(enum privilege privilege)
{
	privileges permitted;
	struct err ignored;

	return read_set(CAP_PERMITTED, &permitted, &ignored) && permitted & 1U << privilege;
}

bool privilege_raise(enum privilege privilege, struct err *err)
{
	privileges permitted, effective;

	if (!read_set(CAP_PERMITTED, &permitted, err) || !read_set(CAP_EFFECTIVE, &effective, err))
		return false;
	if (!(permitted & 1U << privilege)) {
		err_set(err, "%s is needed and this process does not have it",
			privilege_name(privilege));
		return false;
	}
	return write_sets(permitted, effective | 1U << privilege, err);
}

bool privilege_lower(struct err *err)
{
	privileges permitted;

	return read_set(CAP_PERMITTED, &permitted, err) && write_sets(permitted, 0, err);
}

bool privilege_drop(bool *ret_bounding_left, struct err *err)
{
	bool left;

	/* The bounding set first: without CAP_SETPCAP it can no longer be changed. */
	if (!clear_bounding(&left, err) || !clear_ambient(err) || !write_sets(0, 0, err) ||
	    !forbid_new_privileges(err))
		return false;
	*ret_bounding_left = left;
	return true;
}

bool privilege_empty_bounding(struct err *err)
{
	bool left;

	if (!clear_bounding(&left, err))
		return false;
	if (left)
		err_set(err, "the capability bounding set cannot be emptied without CAP_SETPCAP");
	return !left;
}

bool privilege_isolate(struct err *err)
{
	bool left;

	return privilege_drop(&left, err);
}

/* setfsuid(2) and setfsgid(2) cannot report failure; asked for an impossible id they tell what is.
 */
static bool check_ids(uid_t uid, gid_t gid, struct err *err)
{
	uid_t real_uid, effective_uid, saved_uid;
	gid_t real_gid, effective_gid, saved_gid;

	if (getresuid(&real_uid, &effective_uid, &saved_uid) ||
	    getresgid(&real_gid, &effective_gid, &saved_gid)) {
		err_set_errno(err, errno, "cannot read back uid and gid");
		return false;
	}
	if (real_uid != uid || effective_uid != uid || saved_uid != uid ||
	    (uid_t)setfsuid((uid_t)-1) != uid) {
		err_set(err, "the uid is not %u after changing to it", (unsigned)uid);
		return false;
	}
	if (real_gid != gid || effective_gid != gid || saved_gid != gid ||
	    (gid_t)setfsgid((gid_t)-1) != gid) {
		err_set(err, "the gid is not %u after changing to it", (unsigned)gid);
		return false;
	}
	if (getgroups(0, NULL) != 0) {
		err_set(err, "there are supplementary groups after clearing them");
		return false;
	}
	return true;
}

bool privilege_become(uid_t uid, gid_t gid, struct err *err)
{
	bool left;

	/* The last value means "leave it as it is" in setresuid(2) and setresgid(2). */
	if (uid == 0 || uid == (uid_t)-1 || gid == (gid_t)-1) {
		err_set(err, "cannot become uid %u, gid %u: no confined user has these",
			(unsigned)uid, (unsigned)gid);
		return false;
	}
	if (!clear_bounding(&left, err) || !clear_ambient(err) ||
	    !privilege_raise(PRIVILEGE_SETGID, err) || !privilege_raise(PRIVILEGE_SETUID, err))
		return false;
	if (setgroups(0, NULL)) {
		err_set_errno(err, errno, "cannot clear the supplementary groups");
		return false;
	}
	if (setresgid(gid, gid, gid)) {
		err_set_errno(err, errno, "cannot become gid %u", (unsigned)gid);
		return false;
	}
	if (setresuid(uid, uid, uid)) {
		err_set_errno(err, errno, "cannot become uid %u", (unsigned)uid);
		return false;
	}
	return write_sets(0, 0, err) && forbid_new_privileges(err) && check_ids(uid, gid, err);
}

bool privilege_kill(pid_t child, uid_t uid, struct err *err)
{
	uid_t own = geteuid();
	int killed, errnum;

	if (uid != own && !privilege_raise(PRIVILEGE_SETUID, err))
		return false;
	if (uid != own && setresuid((uid_t)-1, uid, (uid_t)-1)) {
		err_set_errno(err, errno, "cannot act as uid %u", (unsigned)uid);
		return false;
	}
	killed = kill(child, SIGKILL);
	errnum = errno;
	/* Going back to 0 puts everything that is permitted into effect. */
	if (uid != own && (setresuid((uid_t)-1, own, (uid_t)-1) || geteuid() != own))
		abort();
	if (uid != own && !privilege_lower(err))
		return false;
	if (killed)
		err_set_errno(err, errnum, "process %d of uid %u cannot be killed", (int)child,
			      (unsigned)uid);
	return !killed;
}

bool privilege_is_privileged(void)
{
	autosets cap_t found = cap_get_proc();
	autosets cap_t none = cap_init();

	if (!none)
		memory_exhausted();
	/* Inheritable capabilities alone give nothing, but they are no ordinary start either. */
	return !found || cap_compare(found, none);
}
