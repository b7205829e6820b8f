/* privilege_ids.c: the user and the groups of this process, changed in stages and read back. */
#include "system/privilege.h"

#include "base/memory.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/fsuid.h>
#include <sys/pidfd.h>
#include <unistd.h>

bool privilege_take_ids(const struct privilege_ids *ids, struct err *err)
{
	/* The last value means "leave it as it is" in setresuid(2) and setresgid(2). */
	if (ids->uid == 0 || ids->uid == (uid_t)-1 || ids->gid == (gid_t)-1) {
		err_set(err, "cannot become uid %u, gid %u: no confined user has these",
			(unsigned)ids->uid, (unsigned)ids->gid);
		return false;
	}
	if (!privilege_raise(PRIVILEGE_SETGID, err) || !privilege_raise(PRIVILEGE_SETUID, err))
		return false;
	if (setgroups(ids->group_count, ids->groups)) {
		err_set_errno(err, errno, "cannot take the groups of uid %u", (unsigned)ids->uid);
		return false;
	}
	if (setresgid(ids->gid, ids->gid, ids->gid)) {
		err_set_errno(err, errno, "cannot become gid %u", (unsigned)ids->gid);
		return false;
	}
	if (setresuid(ids->uid, ids->uid, ids->uid)) {
		err_set_errno(err, errno, "cannot become uid %u", (unsigned)ids->uid);
		return false;
	}
	return true;
}

static int compare_groups(const void *one, const void *other)
{
	gid_t a = *(const gid_t *)one, b = *(const gid_t *)other;

	return (a > b) - (a < b);
}

/* The kernel keeps groups sorted, and one that was given twice twice. */
static bool check_groups(const struct privilege_ids *ids, struct err *err)
{
	autofree gid_t *wanted = memory_allocate(ids->group_count, sizeof(*wanted));
	autofree gid_t *found = memory_allocate(ids->group_count, sizeof(*found));

	if (ids->group_count) {
		memcpy(wanted, ids->groups, ids->group_count * sizeof(*wanted));
		qsort(wanted, ids->group_count, sizeof(*wanted), compare_groups);
	}
	if (getgroups(0, NULL) == (int)ids->group_count &&
	    getgroups((int)ids->group_count, found) == (int)ids->group_count &&
	    !memcmp(found, wanted, ids->group_count * sizeof(*found)))
		return true;
	err_set(err, "the groups are not those of uid %u after taking them", (unsigned)ids->uid);
	return false;
}

#ifdef SYS_setfsuid32
#define SET_FSUID SYS_setfsuid32
#define SET_FSGID SYS_setfsgid32
#else
#define SET_FSUID SYS_setfsuid
#define SET_FSGID SYS_setfsgid
#endif

/*
 * setfsuid(2) and setfsgid(2) cannot report failure; asked for an impossible id they tell what is.
 * A kernel without them (gVisor) has no such id beside the effective one.
 */
static bool file_system_id_is(long call, uint32_t id)
{
	long answer = syscall(call, -1L);

	return answer < 0 && errno == ENOSYS ? true : (uint32_t)answer == id;
}

bool privilege_check_ids(const struct privilege_ids *ids, struct err *err)
{
	uid_t real_uid, effective_uid, saved_uid;
	gid_t real_gid, effective_gid, saved_gid;

	if (getresuid(&real_uid, &effective_uid, &saved_uid) ||
	    getresgid(&real_gid, &effective_gid, &saved_gid)) {
		err_set_errno(err, errno, "cannot read back uid and gid");
		return false;
	}
	if (real_uid != ids->uid || effective_uid != ids->uid || saved_uid != ids->uid ||
	    !file_system_id_is(SET_FSUID, ids->uid)) {
		err_set(err, "the uid is not %u after changing to it", (unsigned)ids->uid);
		return false;
	}
	if (real_gid != ids->gid || effective_gid != ids->gid || saved_gid != ids->gid ||
	    !file_system_id_is(SET_FSGID, ids->gid)) {
		err_set(err, "the gid is not %u after changing to it", (unsigned)ids->gid);
		return false;
	}
	return check_groups(ids, err);
}

bool privilege_become(const struct privilege_ids *ids, struct err *err)
{
	bool left;

	/* The bounding set while CAP_SETPCAP is there, if it is: the ids take it away. */
	if (privilege_is_permitted(PRIVILEGE_SETPCAP) && !privilege_empty_bounding(err))
		return false;
	return privilege_take_ids(ids, err) && privilege_drop(&left, err) &&
	       privilege_check_ids(ids, err);
}

/* As `uid` for the one call; *ret_errnum is that of the call. */
static bool send_as(uid_t uid, int (*send)(int whom, int number), int whom, int number,
		    int *ret_errnum, struct err *err)
{
	uid_t own = geteuid();

	if (uid != own && !privilege_raise(PRIVILEGE_SETUID, err))
		return false;
	if (uid != own && setresuid((uid_t)-1, uid, (uid_t)-1)) {
		err_set_errno(err, errno, "cannot act as uid %u", (unsigned)uid);
		return false;
	}
	*ret_errnum = send(whom, number) ? errno : 0;
	/* Going back to 0 puts everything that is permitted into effect. */
	if (uid != own && (setresuid((uid_t)-1, own, (uid_t)-1) || geteuid() != own))
		abort();
	return uid == own || privilege_lower(err);
}

static int send_to_pid(int pid, int number)
{
	return kill(pid, number);
}

static int send_to_descriptor(int pidfd, int number)
{
	return pidfd_send_signal(pidfd, number, NULL, 0);
}

bool privilege_kill(pid_t child, uid_t uid, struct err *err)
{
	int errnum;

	if (!send_as(uid, send_to_pid, child, SIGKILL, &errnum, err))
		return false;
	if (errnum)
		err_set_errno(err, errnum, "process %d of uid %u cannot be killed", (int)child,
			      (unsigned)uid);
	return !errnum;
}

bool privilege_signal(int pidfd, uid_t uid, int number, struct err *err)
{
	int errnum;

	if (!send_as(uid, send_to_descriptor, pidfd, number, &errnum, err))
		return false;
	if (errnum && errnum != ESRCH)
		err_set_errno(err, errnum, "a process of uid %u cannot be signalled",
			      (unsigned)uid);
	return !errnum || errnum == ESRCH;
}
