/* filter_known.c: a filter that was started: written down, known again, ended. */
#include "base/memory.h"
#include "system/descriptor.h"
#include "system/filter_process.h"
#include "system/privilege.h"
#include "system/probe_attempt.h"
#include "system/process.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>

enum { TERM_MS = 3000, KILL_MS = 2000 };

void filter_process_print(const struct filter_process *process, struct buffer *out)
{
	buffer_printf(out, "%d %" PRIu64 " %" PRIu32 " %s\n", (int)process->pid,
		      process->start_time, process->uid, process->settings);
}

bool filter_process_parse(const void *bytes, size_t length, struct filter_process *ret)
{
	autofree char *text = memory_format("%.*s", (int)length, (const char *)bytes);
	struct filter_process process = { 0 };
	struct buffer again = { 0 };
	bool same;

	if (sscanf(text, "%d %" SCNu64 " %" SCNu32 " %64[0-9a-f]", &process.pid,
		   &process.start_time, &process.uid, process.settings) != 4 ||
	    process.pid <= 0 || !process.uid)
		return false;
	filter_process_print(&process, &again);
	same = again.length == length && !memcmp(again.data, bytes, length);
	buffer_free(&again);
	if (same)
		*ret = process;
	return same;
}

bool filter_process_look(const struct filter_process *process, bool *ret_alive, struct err *err)
{
	uint64_t start_time;

	if (!process_start_time(process->pid, ret_alive, &start_time, err))
		return false;
	*ret_alive = *ret_alive && start_time == process->start_time;
	return true;
}

static bool has_ended(int pidfd, unsigned timeout_ms)
{
	return probe_wait(pidfd, POLLIN, probe_now_us() + (uint64_t)timeout_ms * 1000);
}

bool filter_process_end(const struct filter_process *process, struct err *err)
{
	autoclose int pidfd = pidfd_open(process->pid, 0);
	bool alive;

	if (pidfd < 0 && errno != ESRCH) {
		err_set_errno(err, errno, "the filter, process %d, cannot be ended",
			      (int)process->pid);
		return false;
	}
	/* The number is only ours as long as what has it began when ours did. */
	if (pidfd < 0)
		return true;
	if (!filter_process_look(process, &alive, err))
		return false;
	if (!alive)
		return true;
	if (!privilege_signal(pidfd, process->uid, SIGTERM, err))
		return false;
	if (has_ended(pidfd, TERM_MS))
		return true;
	if (!privilege_signal(pidfd, process->uid, SIGKILL, err))
		return false;
	if (has_ended(pidfd, KILL_MS))
		return true;
	err_set(err, "the filter, process %d, does not end", (int)process->pid);
	return false;
}
