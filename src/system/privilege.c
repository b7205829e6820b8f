/* privilege.c: capabilities in named stages, each read back. */
#include "system/privilege.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/capability.h>
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
	[PRIVILEGE_NET_RAW] = { CAP_NET_RAW, "CAP_NET_RAW" },
	[PRIVILEGE_CHOWN] = { CAP_CHOWN, "CAP_CHOWN" },
	[PRIVILEGE_SYS_PTRACE] = { CAP_SYS_PTRACE, "CAP_SYS_PTRACE" },
};
_Static_assert(sizeof(capabilities) / sizeof(capabilities[0]) == PRIVILEGES,
	       "one row per privilege");

/*
 * The three sets of this process as the kernel hands them out, all capabilities of it, in one call
 * (capget(2)): they are read and written around every step.
 */
struct sets {
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3];
};

const char *privilege_name(enum privilege privilege)
{
	return capabilities[privilege].name;
}

static bool read_sets(struct sets *ret, struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };

	if (!capget(&header, ret->words))
		return true;
	err_set_errno(err, errno, "cannot read the capabilities of this process");
	return false;
}

/* Which of ours are permitted, and in effect. */
static bool read_ours(privileges *ret_permitted, privileges *ret_effective, struct err *err)
{
	privileges permitted = 0, effective = 0;
	struct sets sets;

	if (!read_sets(&sets, err))
		return false;
	for (unsigned i = 0; i < PRIVILEGES; i++) {
		const struct __user_cap_data_struct *word =
			&sets.words[CAP_TO_INDEX(capabilities[i].value)];
		uint32_t mask = CAP_TO_MASK(capabilities[i].value);

		permitted |= word->permitted & mask ? 1U << i : 0;
		effective |= word->effective & mask ? 1U << i : 0;
	}
	*ret_permitted = permitted;
	*ret_effective = effective;
	return true;
}

/*
 * Makes permitted and effective exactly these and inheritable empty, and reads all three back. With
 * the inheritable set the ambient set is empty: no capability stays in it that is not inheritable
 * (capabilities(7); cap_capset() in the kernel's security/commoncap.c).
 */
static bool write_sets(privileges permitted, privileges effective, struct err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct sets wanted = { 0 }, found;

	for (unsigned i = 0; i < PRIVILEGES; i++) {
		struct __user_cap_data_struct *word =
			&wanted.words[CAP_TO_INDEX(capabilities[i].value)];
		uint32_t mask = CAP_TO_MASK(capabilities[i].value);

		word->permitted |= permitted & 1U << i ? mask : 0;
		word->effective |= effective & 1U << i ? mask : 0;
	}
	if (capset(&header, wanted.words)) {
		err_set_errno(err, errno, "cannot set the capabilities of this process");
		return false;
	}
	if (!read_sets(&found, err))
		return false;
	if (memcmp(&wanted, &found, sizeof(wanted))) {
		err_set(err, "the capabilities read back are not the ones that were set");
		return false;
	}
	return true;
}

static bool bounding_is_left(void)
{
	for (cap_value_t value = 0; value < cap_max_bits(); value++)
		if (cap_get_bound(value) != 0)
			return true;
	return false;
}

static bool drop_bounding(struct err *err)
{
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
	if (bounding_is_left()) {
		err_set(err, "the capability bounding set is not empty after emptying it");
		return false;
	}
	return true;
}

/* Empties the bounding set where CAP_SETPCAP is permitted; *ret_left: something is in it. */
static bool clear_bounding(bool *ret_left, struct err *err)
{
	bool left;

	if (cap_get_bound(0) < 0) {
		err_set_errno(err, errno, "cannot read the capability bounding set");
		return false;
	}
	left = bounding_is_left();
	if (left && privilege_is_permitted(PRIVILEGE_SETPCAP)) {
		if (!drop_bounding(err))
			return false;
		left = false;
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
	privileges permitted, effective;

	if (getauxval(AT_SECURE)) {
		err_set(err, "started setuid, setgid or with file capabilities, which is refused: "
			     "let a process that has CAP_NET_ADMIN start it instead");
		return false;
	}
	return read_ours(&permitted, &effective, err) && write_sets(permitted, 0, err);
}

bool privilege_is_permitted(enum privilege privilege)
{
	privileges permitted, effective;
	struct err ignored;

	return read_ours(&permitted, &effective, &ignored) && permitted & 1U << privilege;
}

bool privilege_raise(enum privilege privilege, struct err *err)
{
	privileges permitted, effective;

	if (!read_ours(&permitted, &effective, err))
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
	privileges permitted, effective;

	return read_ours(&permitted, &effective, err) && write_sets(permitted, 0, err);
}

bool privilege_forget(enum privilege privilege, struct err *err)
{
	privileges permitted, effective;

	return read_ours(&permitted, &effective, err) &&
	       write_sets(permitted & ~(1U << privilege), 0, err);
}

bool privilege_drop(bool *ret_bounding_left, struct err *err)
{
	bool left;

	/* The bounding set first: without CAP_SETPCAP it can no longer be changed. */
	if (!clear_bounding(&left, err) || !write_sets(0, 0, err) || !forbid_new_privileges(err))
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

bool privilege_isolate_to_look(struct err *err)
{
	static const privileges kept = 1U << PRIVILEGE_SYS_PTRACE;
	bool left;

	return clear_bounding(&left, err) && write_sets(kept, kept, err) &&
	       forbid_new_privileges(err);
}

bool privilege_is_privileged(void)
{
	static const struct sets none;
	struct sets found;
	struct err ignored;

	/* Inheritable capabilities alone give nothing, but they are no ordinary start either. */
	return !read_sets(&found, &ignored) || memcmp(&found, &none, sizeof(none));
}
