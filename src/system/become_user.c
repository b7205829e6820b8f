/* become_user.c: from root to the confined user, for good, in named stages, each read back. */
#include "system/become_user.h"

#include "system/privilege.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { FIRST_INHERITED = STDERR_FILENO + 1 };
#define DESCRIPTORS "/proc/self/fd"
#define SECURE_BITS                                                                                \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_KEEP_CAPS_LOCKED |                          \
	 SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

/* A terminal, or memory such as /dev/null: another device may be a road out (/dev/net/tun). */
static bool is_harmless_device(int descriptor, const struct stat *status)
{
	enum { MEMORY_DEVICES = 1 };

	return major(status->st_rdev) == MEMORY_DEVICES || isatty(descriptor);
}

static const char *kind_of(mode_t mode)
{
	if (S_ISSOCK(mode))
		return "a socket";
	if (S_ISDIR(mode))
		return "a directory";
	return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "no file";
}

bool become_check_standard(struct err *err)
{
	for (int descriptor = STDIN_FILENO; descriptor < FIRST_INHERITED; descriptor++) {
		struct stat status;

		if (fstat(descriptor, &status)) {
			err_set_errno(err, errno, "descriptor %d cannot be examined", descriptor);
			return false;
		}
		if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ||
		    (S_ISCHR(status.st_mode) && is_harmless_device(descriptor, &status)))
			continue;
		err_set(err,
			"descriptor %d is %s, which would go on as its opener's, not the user's: "
			"give a file, a terminal or a pipe",
			descriptor, kind_of(status.st_mode));
		return false;
	}
	return true;
}

/* The lowest open descriptor from 3 upwards but the directory's own; -1: there is none. */
static bool find_inherited(int *ret, struct err *err)
{
	DIR *directory = opendir(DESCRIPTORS);
	const struct dirent *entry;
	int found = -1;

	if (!directory) {
		err_set_errno(err, errno, "%s: cannot be read", DESCRIPTORS);
		return false;
	}
	while (found < 0 && (entry = readdir(directory))) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && !*end && number >= FIRST_INHERITED &&
		    number != dirfd(directory))
			found = (int)number;
	}
	closedir(directory);
	*ret = found;
	return true;
}

bool become_close_descriptors(struct err *err)
{
	int left;

	if (close_range(FIRST_INHERITED, INT_MAX, CLOSE_RANGE_UNSHARE)) {
		err_set_errno(err, errno, "inherited descriptors cannot be closed");
		return false;
	}
	if (!find_inherited(&left, err))
		return false;
	if (left >= 0)
		err_set(err, "descriptor %d is still open after closing all from %d", left,
			FIRST_INHERITED);
	return left < 0;
}

/*
 * What they forbid is to get a capability back, as uid 0 or by the ambient set. A kernel that knows
 * none (gVisor) answers EINVAL: the empty bounding set and no_new_privs forbid the same there.
 */
static bool lock_secure_bits(struct err *err)
{
	int before = prctl(PR_GET_SECUREBITS), set, errnum;

	if (before < 0 && errno == EINVAL)
		return true;
	if (!privilege_raise(PRIVILEGE_SETPCAP, err))
		return false;
	set = before < 0 ? -1 : prctl(PR_SET_SECUREBITS, before | SECURE_BITS);
	errnum = errno;
	if (!privilege_lower(err))
		return false;
	if (set) {
		err_set_errno(err, errnum, "the securebits cannot be set");
		return false;
	}
	if (prctl(PR_GET_SECUREBITS) != (before | SECURE_BITS)) {
		err_set(err, "the securebits read back are not the ones that were set");
		return false;
	}
	return true;
}

static bool become_opaque(struct err *err)
{
	if (prctl(PR_SET_DUMPABLE, 0) || prctl(PR_GET_DUMPABLE)) {
		err_set(err, "this process cannot be made one that others do not look into");
		return false;
	}
	return true;
}

/*
 * Keys are had by possession, whoever owns them (keyrings(7)): the session keyring of whoever
 * started this is left for an empty one. A kernel or an engine without keys answers ENOSYS or
 * EPERM, to the program as well.
 */
static bool leave_keys(struct err *err)
{
	long before = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0),
	     after;

	int before_errnum = errno;

	if (before < 0 && (errno == ENOSYS || errno == EPERM))
		return true;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0) {
		/* gVisor has no keys, and says so to everybody by this. */
		if (before < 0 && before_errnum == EACCES && errno == EACCES)
			return true;
		err_set_errno(err, errno, "the session keyring cannot be left");
		return false;
	}
	after = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
	if (after < 0 || after == before) {
		err_set(err, "the session keyring is still the old one after leaving it");
		return false;
	}
	return true;
}

bool become_user(const struct identity *identity, struct err *err)
{
	const struct privilege_ids ids = identity_ids(identity);
	bool left = true;

	if (!lock_secure_bits(err) || !privilege_empty_bounding(err) || !become_opaque(err) ||
	    !privilege_take_ids(&ids, err) || !privilege_drop(&left, err))
		return false;
	if (left) {
		err_set(err, "the capability bounding set is not empty after emptying it");
		return false;
	}
	return privilege_check_ids(&ids, err) && leave_keys(err) && become_opaque(err);
}
