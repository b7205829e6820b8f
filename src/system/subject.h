/* subject.h: the user whose ways out are looked for, and what the kernel lets that user do. */
#ifndef EGRESSFW_SYSTEM_SUBJECT_H
#define EGRESSFW_SYSTEM_SUBJECT_H

#include "base/err.h"
#include "base/rangeset.h"
#include "doctor/rights.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Judged with all groups that a login would give: the program may have fewer. */
struct subject {
	uid_t uid;
	gid_t gid;
	char *name;         /* NULL: passwd has none */
	gid_t *gids;        /* the primary one too; one of several names stands several times */
	char **group_names; /* NULL where a group has no name */
	size_t group_count;
	bool is_caller; /* our own uid: with the groups that this process has */
};

/* From /etc/passwd and /etc/group alone. */
bool subject_read(uid_t uid, struct subject *ret, struct err *err);
void subject_free(struct subject *subject);

/*
 * Whom to look at of these uids: those that passwd knows, from 1000 up first; where it knows none
 * in a range and `unknown_too`, its first, before those below. At most `most`; if there is none at
 * all, the first uid.
 */
bool subjects_choose(const struct rangeset *uids, bool unknown_too, size_t most, uid_t *ret,
		     size_t *ret_count, struct err *err);

/* The person that rules are compared with; borrows from the subject. */
struct person subject_person(const struct subject *subject);

enum { MAY_ELSEWHERE = -1 };
enum may {
	MAY_WRITE,      /* of a socket: connect to it */
	MAY_READ_WRITE, /* open a device */
	MAY_EXECUTE,
	MAY_REPLACE, /* make and delete names in a directory */
	MAY_INSPECT, /* of /proc/PID/ns/net: see into the process, the first half of ptrace(2) */
};

struct may_question {
	enum may may;
	const char *path;
};

/*
 * The kernel's answer for each, by access(2) and the like in a child that is the user and has no
 * capability: 0, or an error number; MAY_ELSEWHERE for a process that may be seen into and is in
 * another network namespace. Nothing is opened. Needs CAP_SETUID and CAP_SETGID permitted, unless
 * it is about the caller. False: the child could not become the user.
 */
bool subject_may(const struct subject *subject, const struct may_question *questions, size_t count,
		 unsigned timeout_ms, int *ret, struct err *err);

#endif
