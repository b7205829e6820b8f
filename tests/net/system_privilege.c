/* system_privilege.c: goes through privilege stages and shows what the kernel says afterwards. */
#include "system/privilege.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Arguments are stages, in order: begin, raise:CAP_NET_ADMIN, lower, isolate, become:UID:GID, drop,
 * kill:UID, status (lines of /proc/self/status that start with Cap, NoNew, Uid, Gid, Groups), exec
 * (the rest of the stages, in a new image of this program), permitted, privileged. Ends with 1 and
 * the sentence on standard error at the first that fails.
 */

static bool show_status(void)
{
	static const char *const wanted[] = { "Cap", "NoNew", "Uid", "Gid", "Groups" };
	char line[4096];
	FILE *status = fopen("/proc/self/status", "re");

	if (!status)
		return false;
	while (fgets(line, sizeof(line), status))
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (!strncmp(line, wanted[i], strlen(wanted[i])))
				fputs(line, stdout);
	fclose(status);
	return fflush(stdout) == 0;
}

/* A child that is that uid and stopped, as its user could do, is killed and reaped. */
static bool kill_child(uid_t uid, struct err *err)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (!privilege_become(&(struct privilege_ids){ .uid = uid, .gid = uid }, err))
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) {
		err_set(err, "the child did not stop");
		return false;
	}
	printf("plain kill: %s\n", kill(child, SIGKILL) ? strerror(errno) : "done");
	if (!privilege_kill(child, uid, err))
		return false;
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) {
		err_set(err, "the child was not killed");
		return false;
	}
	puts("killed");
	return true;
}

static bool raise_named(const char *name, struct err *err)
{
	for (int i = 0; i < PRIVILEGES; i++)
		if (!strcmp(privilege_name(i), name))
			return privilege_raise(i, err);
	err_set(err, "no privilege %s", name);
	return false;
}

static bool run_stage(const char *stage, struct err *err)
{
	unsigned uid, gid;
	bool left;

	if (!strcmp(stage, "begin"))
		return privilege_begin(err);
	if (!strncmp(stage, "raise:", 6))
		return raise_named(stage + 6, err);
	if (!strcmp(stage, "lower"))
		return privilege_lower(err);
	if (!strcmp(stage, "forget-raw"))
		return privilege_forget(PRIVILEGE_NET_RAW, err);
	if (!strcmp(stage, "isolate-to-look"))
		return privilege_isolate_to_look(err);
	if (!strcmp(stage, "isolate"))
		return privilege_isolate(err);
	if (sscanf(stage, "become:%u:%u", &uid, &gid) == 2)
		return privilege_become(&(struct privilege_ids){ .uid = uid, .gid = gid }, err);
	if (sscanf(stage, "kill:%u", &uid) == 1)
		return kill_child(uid, err);
	if (!strcmp(stage, "status"))
		return show_status();
	if (!strcmp(stage, "drop")) {
		if (!privilege_drop(&left, err))
			return false;
		printf("bounding left: %d\n", left);
		return true;
	}
	if (!strcmp(stage, "permitted")) {
		for (int i = 0; i < PRIVILEGES; i++)
			printf("%s %d\n", privilege_name(i), privilege_is_permitted(i));
		return true;
	}
	if (!strcmp(stage, "privileged")) {
		printf("privileged: %d\n", privilege_is_privileged());
		return true;
	}
	err_set(err, "no stage %s", stage);
	return false;
}

int main(int argc, char **argv)
{
	struct err err = { "" };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "exec")) {
			fflush(stdout);
			argv[i] = argv[0];
			execv("/proc/self/exe", argv + i);
			perror("exec");
			return 1;
		}
		if (!run_stage(argv[i], &err)) {
			fprintf(stderr, "%s: %s\n", argv[i], err.text);
			return 1;
		}
	}
	return 0;
}
