/* attempt_step.c: what a program does to itself before it opens its socket, or with one that is open. */
#include "attempt.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * --uid UID         becomes that uid for good, without groups; what it opens after this is that uid's
 * --become UID      the same with whatever privilege the program has got: setresuid(2) alone
 * --fsuid UID       setfsuid(2), which is what a socket's file remembers
 * --userns          a user namespace of its own, where the uid is 0
 * --mapped          one where 1 is the first subordinate uid, mapped by a helper as newuidmap does; becomes it
 * --netns           a network namespace of its own
 * --setns PID       that process's network namespace
 * --open            opens the attempt's socket here
 * --own UID         fchown(2) of it
 * --passed          receives a TCP socket of a root process over a UNIX socket
 * --descriptor N    it was inherited and is N
 * --at N            puts it there and starts the command behind "--"
 * --within MS       a connection that takes longer has not come about
 */

static uid_t number(const char *text)
{
	return (uid_t)strtoul(text, NULL, 10);
}

static bool step_uid(struct trying *trying, const char *argument)
{
	uid_t uid = number(argument);

	(void)trying;
	return !setgroups(0, NULL) && !setresgid(uid, uid, uid) && !setresuid(uid, uid, uid);
}

static bool step_become(struct trying *trying, const char *argument)
{
	uid_t uid = number(argument);

	(void)trying;
	return !setresuid(uid, uid, uid);
}

static bool step_fsuid(struct trying *trying, const char *argument)
{
	uid_t uid = number(argument);

	(void)trying;
	setfsuid(uid);
	/* It fails without saying so. */
	if ((uid_t)setfsuid((uid_t)-1) == uid)
		return true;
	errno = EPERM;
	return false;
}

static bool write_file(const char *path, const char *text)
{
	int descriptor = open(path, O_WRONLY | O_CLOEXEC);
	bool good = descriptor >= 0 && write(descriptor, text, strlen(text)) == (ssize_t)strlen(text);

	if (descriptor >= 0)
		close(descriptor);
	return good;
}

static bool step_userns(struct trying *trying, const char *argument)
{
	char users[32], groups[32];

	(void)trying;
	(void)argument;
	snprintf(users, sizeof(users), "0 %u 1", geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", getegid());
	/* Where the file is not there, groups may be mapped without it. */
	return !unshare(CLONE_NEWUSER) && (write_file("/proc/self/setgroups", "deny") || errno == ENOENT) &&
	       write_file("/proc/self/uid_map", users) && write_file("/proc/self/gid_map", groups);
}

static bool step_mapped(struct trying *trying, const char *argument)
{
	(void)trying;
	(void)argument;
	return !unshare(CLONE_NEWUSER) && ask_for_mapping() && !setresuid(1, 1, 1);
}

static bool step_netns(struct trying *trying, const char *argument)
{
	(void)trying;
	(void)argument;
	return !unshare(CLONE_NEWNET);
}

static bool step_setns(struct trying *trying, const char *argument)
{
	char path[64];
	int descriptor;

	(void)trying;
	snprintf(path, sizeof(path), "/proc/%s/ns/net", argument);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	return descriptor >= 0 && !setns(descriptor, CLONE_NEWNET);
}

static bool step_own(struct trying *trying, const char *argument)
{
	return !fchown(trying->descriptor, number(argument), (gid_t)-1);
}

static bool step_passed(struct trying *trying, const char *argument)
{
	(void)argument;
	trying->descriptor = ask_for_socket(target_family(&trying->target));
	return trying->descriptor >= 0;
}

static bool step_descriptor(struct trying *trying, const char *argument)
{
	struct stat status;

	trying->descriptor = (int)number(argument);
	if (fstat(trying->descriptor, &status))
		return false;
	errno = ENOTSOCK;
	return S_ISSOCK(status.st_mode);
}

static bool step_at(struct trying *trying, const char *argument)
{
	if (!trying->command || dup2(trying->descriptor, (int)number(argument)) < 0)
		err(2, "--at %s", argument);
	execvp(trying->command[0], trying->command);
	return false;
}

static bool step_within(struct trying *trying, const char *argument)
{
	(void)trying;
	connect_ms = (int)number(argument);
	return true;
}

static const struct {
	const char *name;
	bool with_argument;
	bool (*take)(struct trying *trying, const char *argument);
} steps[] = {
	{ "--uid", true, step_uid },	   { "--become", true, step_become }, { "--fsuid", true, step_fsuid },
	{ "--userns", false, step_userns }, { "--mapped", false, step_mapped }, { "--netns", false, step_netns },
	{ "--setns", true, step_setns },   { "--own", true, step_own },	      { "--passed", false, step_passed },
	{ "--at", true, step_at },	   { "--descriptor", true, step_descriptor },
	{ "--within", true, step_within },
};

int take_step(struct trying *trying, char **arguments, struct outcome *ret)
{
	if (strcmp(arguments[0], "--open") == 0)
		return trying_open(trying, ret) ? 1 : -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (strcmp(arguments[0], steps[i].name) != 0)
			continue;
		if (steps[i].take(trying, arguments[1]))
			return steps[i].with_argument ? 2 : 1;
		*ret = (struct outcome){ RESULT_OPTION, errno };
		return -1;
	}
	errx(2, "%s: no such step", arguments[0]);
}
