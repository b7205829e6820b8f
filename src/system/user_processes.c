/* user_processes.c: which users have a process, as far as /proc shows them. */
#include "system/user_processes.h"

#include "base/memory.h"
#include "doctor/proc_status.h"
#include "system/descriptor.h"

#include <dirent.h>

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

struct rangeset user_processes_find(const struct rangeset *uids)
{
	DIR *directory = opendir("/proc");
	struct rangeset found = { 0 };
	const struct dirent *entry;
	uint32_t uid;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    read_uid(entry->d_name, &uid) && rangeset_contains(uids, uid))
			rangeset_add(&found, uid, uid);
	if (directory)
		closedir(directory);
	return found;
}
