/* user_processes.c: which users have a process, as far as /proc shows them. */
#include "system/user_processes.h"

#include "base/memory.h"
#include "doctor/proc_status.h"
#include "system/descriptor.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

/*
 * It names each group, of which a process may have 65536: whoever has most must not be overlooked.
 */
enum { STATUS_MAX = 1024 * 1024 };

/* One that is gone by now, or is a zombie, runs as nobody. */
static bool read_uid(const char *process, uint32_t *ret)
{
	autofree char *path = memory_format("/proc/%s/status", process);
	struct process_status status;
	struct buffer text = { 0 };
	bool present = false, good;
	struct err ignored;

	good = descriptor_read_file(path, STATUS_MAX, &text, &present, &ignored) && present &&
	       process_status_parse(text.data, text.length, &status) && !status.ended;
	buffer_free(&text);
	if (good)
		*ret = status.uid;
	return good;
}

/* The next process of the directory and as whom it runs. */
static bool next_process(DIR *directory, pid_t *ret, uint32_t *ret_uid)
{
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    read_uid(entry->d_name, ret_uid)) {
			*ret = atoi(entry->d_name);
			return true;
		}
	if (directory)
		closedir(directory);
	return false;
}

struct rangeset user_processes_find(const struct rangeset *uids)
{
	DIR *directory = opendir("/proc");
	struct rangeset found = { 0 };
	uint32_t uid;
	pid_t pid;

	while (next_process(directory, &pid, &uid))
		if (rangeset_contains(uids, uid))
			rangeset_add(&found, uid, uid);
	return found;
}

/*
 * The files in there are a network namespace's own (fs/proc/proc_net.c), and may be looked at
 * without PTRACE_MODE_READ, which the link in /proc/PID/ns takes.
 */
static bool is_elsewhere(pid_t pid)
{
	autofree char *path = memory_format("/proc/%d/net/dev", (int)pid);
	struct stat theirs, ours;

	return !stat(path, &theirs) && !stat("/proc/self/net/dev", &ours) &&
	       theirs.st_ino != ours.st_ino;
}

bool user_processes_other(uint32_t uid, pid_t known, pid_t *ret)
{
	DIR *directory = opendir("/proc");
	bool found = false;
	uint32_t whose;
	pid_t pid;

	while (next_process(directory, &pid, &whose))
		if (whose == uid && pid != known && !is_elsewhere(pid)) {
			*ret = pid;
			found = true;
		}
	return found;
}
