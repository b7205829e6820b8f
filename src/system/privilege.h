/* privilege.h: capabilities in named stages, each read back. */
#ifndef EGRESSFW_SYSTEM_PRIVILEGE_H
#define EGRESSFW_SYSTEM_PRIVILEGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Theory of operation. After privilege_begin() nothing is in effect. A step that needs a capability
 * raises it and lowers it behind itself. Children isolate themselves before they do anything else.
 * privilege_drop() is the end: nothing can be raised after it. libcap has its only user here. A
 * stage that cannot be read back fails, it never warns. The process has one thread.
 */
enum privilege {
	PRIVILEGE_NET_ADMIN,
	PRIVILEGE_SETUID,
	PRIVILEGE_SETGID,
	PRIVILEGE_SETPCAP,
	PRIVILEGE_NET_RAW, /* to open xtables' sockets on some kernels; nobody else needs it */
	PRIVILEGE_CHOWN,   /* for what belongs to the filter; nothing else needs it */
	/* To name a process in a message; no command needs it. Root could have it back by execve(2). */
	PRIVILEGE_SYS_PTRACE,
	PRIVILEGES,
};

/*
 * Should: effective set empty, permitted set cut to those above, of which those we have can be
 * raised. Mustn't: pass a capability on (inheritable and ambient sets are empty), run with
 * AT_SECURE (getauxval(3)), that is setuid, setgid or with file capabilities.
 */
bool privilege_begin(struct err *err);

/* Whether the capability is permitted; "CAP_NET_ADMIN". */
bool privilege_is_permitted(enum privilege privilege);
const char *privilege_name(enum privilege privilege);

/* Puts one more capability into effect; takes all of them out of effect. */
bool privilege_raise(enum privilege privilege, struct err *err);
bool privilege_lower(struct err *err);

/* Gives one up for good, with nothing in effect afterwards. */
bool privilege_forget(enum privilege privilege, struct err *err);

/*
 * Before the user is changed, since that takes CAP_SETPCAP away. Should: keep what is permitted.
 * Mustn't: have anything in the bounding set; without CAP_SETPCAP it fails.
 */
bool privilege_empty_bounding(struct err *err);

/*
 * For the resolving child. Should: keep uid and gid. Mustn't: have any capability in any set
 * (bounding as far as CAP_SETPCAP allows), gain one by exec (no_new_privs).
 */
bool privilege_isolate(struct err *err);

/*
 * The same for a child that looks which files other processes have open (proc(5)). Should: have
 * CAP_SYS_PTRACE in effect, which must be permitted. Mustn't: have another one.
 */
bool privilege_isolate_to_look(struct err *err);

/* As whom a process is to go on; no groups: without supplementary ones. */
struct privilege_ids {
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	size_t group_count;
};

/*
 * Needs CAP_SETUID and CAP_SETGID permitted. Takes the ids: real, effective and saved. uid 0 and
 * the last uid and gid are refused. What is permitted may be gone afterwards.
 */
bool privilege_take_ids(const struct privilege_ids *ids, struct err *err);

/* Reads back real, effective, saved and file system uid and gid, and the supplementary groups. */
bool privilege_check_ids(const struct privilege_ids *ids, struct err *err);

/*
 * For a child that looks or probes as a user, before it opens anything. Should: be these ids, read
 * back. Mustn't: have a capability (bounding as far as CAP_SETPCAP allows), gain one.
 */
bool privilege_become(const struct privilege_ids *ids, struct err *err);

/*
 * Kills a child of ours that became `uid`, which root may not do without CAP_KILL: as that uid for
 * the one call. Needs CAP_SETUID permitted, where uid is not our own. Mustn't: keep that uid; a
 * process that cannot return from it aborts.
 */
bool privilege_kill(pid_t child, uid_t uid, struct err *err);

/*
 * The same for any process of `uid`, by its pidfd and with any signal; one that has ended is none.
 */
bool privilege_signal(int pidfd, uid_t uid, int number, struct err *err);

/*
 * The end of apply. Mustn't: have any capability in effective, permitted, inheritable, ambient, nor
 * (where CAP_SETPCAP was there; else *ret_bounding_left is true) bounding set; gain one by exec.
 */
bool privilege_drop(bool *ret_bounding_left, struct err *err);

/*
 * Whether anything is permitted at all: policy files are then checked for who may write them.
 * What cannot be read counts as privileged.
 */
bool privilege_is_privileged(void);

#endif
