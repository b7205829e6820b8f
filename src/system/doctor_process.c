/* doctor_process.c: capabilities, seccomp, no_new_privs: what is started from here inherits. */
#include "system/doctor.h"

#include "base/memory.h"
#include "system/privilege.h"

#include <dirent.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those which egressfw itself needs, beside NET_ADMIN, in the order of the sentence. */
static const struct {
	unsigned number;
	const char *name;
} needed[] = {
	{ CAP_SETUID, "CAP_SETUID" },
	{ CAP_SETGID, "CAP_SETGID" },
	{ CAP_SETPCAP, "CAP_SETPCAP" },
	{ CAP_CHOWN, "CAP_CHOWN" },
};

static void print_missing(const struct process_status *status, struct buffer *out)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!process_has(status, SET_PERMITTED, needed[i].number))
			doctor_list(out, &count, needed[i].name);
}

void doctor_capabilities(const struct doctor *doctor, struct check_result *ret)
{
	const struct process_status *self = &doctor->self;
	struct buffer sets = { 0 }, missing = { 0 };
	const char *text;

	if (!doctor->has_self) {
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_self.text);
		return;
	}
	process_print_capabilities(self, &sets);
	text = buffer_string(&sets);
	print_missing(self, &missing);
	if (!process_has(self, SET_PERMITTED, CAP_NET_ADMIN) &&
	    (!self->uid || !process_has(self, SET_BOUNDING, CAP_NET_ADMIN)))
		check_fail(ret, "start the container with CAP_NET_ADMIN added",
			   "CAP_NET_ADMIN cannot be had here: %s", text);
	else if (!process_has(self, SET_PERMITTED, CAP_NET_ADMIN))
		check_warn(ret, "run doctor and apply as root",
			   "this process does not have CAP_NET_ADMIN; root here may: %s", text);
	else if (missing.length)
		check_warn(ret,
			   "add them: the canary needs CAP_SETUID and CAP_SETGID, run needs "
			   "CAP_SETPCAP too, apply empties the bounding set by it, and the filter "
			   "needs CAP_CHOWN",
			   "missing: %s; %s", buffer_string(&missing), text);
	else
		check_pass(ret, "%s", text);
	buffer_free(&sets);
	buffer_free(&missing);
}

static bool read_status(const char *process, struct process_status *ret)
{
	autofree char *path = memory_format("/proc/%s/status", process);
	struct buffer text = { 0 };
	bool present = false, good;
	struct err ignored;

	good = doctor_read(path, &text, &present, &ignored) && present &&
	       process_status_parse(text.data, text.length, ret);
	buffer_free(&text);
	return good;
}

static bool holds_net_admin(const struct process_status *status)
{
	return process_has(status, SET_PERMITTED, CAP_NET_ADMIN) ||
	       process_has(status, SET_AMBIENT, CAP_NET_ADMIN);
}

/*
 * getppid(2): 0 when the parent is in another PID namespace. So does what an engine starts in a
 * container begin: its first process, and whatever `exec` adds to it, with the same capabilities.
 */
static void judge_engine(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->has_self)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_self.text);
	else if (holds_net_admin(&doctor->self))
		check_warn(
			ret,
			"where the user's programs are in this container, give CAP_NET_ADMIN to "
			"another one that shares the network namespace, and not to this one; in "
			"that one start nothing of the user's",
			"started from outside this PID namespace with CAP_NET_ADMIN: whoever may "
			"start processes so (docker exec as root) can take rules out");
	else
		check_pass(ret, "started from outside this PID namespace, without CAP_NET_ADMIN");
}

void doctor_caller(const struct doctor *doctor, struct check_result *ret)
{
	autofree char *process = memory_format("%u", (unsigned)getppid());
	struct process_status caller;
	struct buffer sets = { 0 };

	if (!getppid()) {
		judge_engine(doctor, ret);
		return;
	}
	if (!read_status(process, &caller)) {
		check_unknown(ret, "mount /proc here, and run doctor as root",
			      "the process that started this (pid %s) cannot be looked at",
			      process);
		return;
	}
	process_print_capabilities(&caller, &sets);
	if (holds_net_admin(&caller))
		check_warn(
			ret,
			"start the user's program by run, or without capabilities and with "
			"no_new_privs, and let nothing untrusted into this shell",
			"the process that started this (pid %s) holds CAP_NET_ADMIN, with which it "
			"can take rules out; apply gives up its own capability alone",
			process);
	else
		check_pass(ret, "the process that started this (pid %s): %s", process,
			   buffer_string(&sets));
	buffer_free(&sets);
}

void doctor_seccomp(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->has_self)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_self.text);
	else if (doctor->self.seccomp < 0)
		check_fail(ret, "use a kernel with CONFIG_SECCOMP_FILTER",
			   "this kernel has no seccomp, which run needs");
	else if (!doctor->self.seccomp)
		check_warn(
			ret, "start the user's program by run, which installs a filter",
			"no filter is in force: sockets that are not IP (AF_VSOCK, AF_SMC) can be "
			"opened by what is started from here");
	else
		check_pass(ret, "a filter is in force for what is started from here");
}

void doctor_no_new_privs(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->has_self)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_self.text);
	else if (doctor->self.no_new_privs < 0)
		check_unknown(ret, "use Linux 4.10 or later",
			      "this kernel does not say whether no_new_privs is set");
	else if (!doctor->self.no_new_privs)
		check_warn(
			ret, "start the user's program by run, or by setpriv --no-new-privs",
			"not set: setuid programs and file capabilities work for what is started "
			"from here");
	else
		check_pass(ret, "set: what is started from here gains no privilege by setuid "
				"programs or file capabilities");
}

void doctor_net_raw(const struct doctor *doctor, struct check_result *ret)
{
	const struct process_status *self = &doctor->self;

	if (!doctor->has_self)
		check_unknown(ret, DOCTOR_WANTS_PROC, "%s", doctor->no_self.text);
	else if (process_has(self, SET_INHERITABLE, CAP_NET_RAW) ||
		 process_has(self, SET_AMBIENT, CAP_NET_RAW))
		check_fail(ret, "start the user's program with empty capability sets, as run does",
			   "CAP_NET_RAW is passed on to programs: AF_PACKET sockets send below the "
			   "packet filter");
	else if (process_has(self, SET_BOUNDING, CAP_NET_RAW))
		check_warn(
			ret,
			"take it out of the container, or start the user's program by run, which "
			"empties the bounding set",
			"CAP_NET_RAW is in the bounding set: a program with file capabilities can "
			"give it to the user, and AF_PACKET sockets send below the packet filter");
	else
		check_pass(ret,
			   "CAP_NET_RAW cannot be had by any program that is started from here");
}

/* What one running process of the user has that it should not have. */
static bool is_dangerous(const struct process_status *status)
{
	return process_has(status, SET_PERMITTED, CAP_NET_ADMIN) ||
	       process_has(status, SET_PERMITTED, CAP_NET_RAW) ||
	       process_has(status, SET_PERMITTED, CAP_SETUID) ||
	       process_has(status, SET_PERMITTED, CAP_SYS_ADMIN) ||
	       process_has(status, SET_PERMITTED, CAP_SYS_PTRACE);
}

void doctor_processes(const struct doctor *doctor, struct check_result *ret)
{
	struct buffer dangerous = { 0 }, open = { 0 };
	size_t dangerous_count = 0, open_count = 0;
	DIR *directory = opendir("/proc");
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		struct process_status status;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    !read_status(entry->d_name, &status))
			continue;
		if (status.uid != doctor->subject->uid || atoi(entry->d_name) == getpid())
			continue;
		if (is_dangerous(&status))
			doctor_list(&dangerous, &dangerous_count, entry->d_name);
		else if (!status.no_new_privs)
			doctor_list(&open, &open_count, entry->d_name);
	}
	if (directory)
		closedir(directory);
	doctor_list_end(&dangerous, dangerous_count);
	doctor_list_end(&open, open_count);
	if (dangerous_count)
		check_fail(ret, "end them, and start them again without capabilities",
			   "processes of the user hold capabilities that lead out: pid %s",
			   buffer_string(&dangerous));
	else if (open_count)
		check_warn(ret, "apply before they are started, and start them by run",
			   "%zu processes of the user run already and can gain privilege (no "
			   "no_new_privs): pid %s",
			   open_count, buffer_string(&open));
	else if (access("/proc/self/status", R_OK))
		check_unknown(ret, DOCTOR_WANTS_PROC, "/proc is not mounted");
	else if (access("/proc/1/status", R_OK))
		check_unknown(ret, "run doctor as root, or mount /proc without hidepid",
			      "/proc does not show the processes of others (hidepid)");
	else
		check_pass(ret, "no process of the user holds capabilities or can gain privilege");
	buffer_free(&dangerous);
	buffer_free(&open);
}
