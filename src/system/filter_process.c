/* filter_process.c: the filter as a process: started, known again, ended. */
#include "system/filter_process.h"

#include "base/memory.h"
#include "base/text.h"
#include "system/descriptor.h"
#include "system/environment.h"
#include "system/privilege.h"
#include "system/probe_attempt.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the filter has the descriptor on which it says that it is ready. */
enum { READY = STDERR_FILENO + 1, OUT_OF_THE_WAY = READY + 2 };
enum { TERM_MS = 3000, KILL_MS = 2000, SAID_MAX = 4096 };
#define READY_LINE "ready\n"

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

bool filter_program_check(const char *program, struct err *err)
{
	struct stat status;

	if (stat(program, &status) || access(program, X_OK)) {
		err_set_errno(err, errno, "%s: the filter's program cannot be executed", program);
		return false;
	}
	if (S_ISREG(status.st_mode) && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	    (status.st_uid == 0 || status.st_uid == geteuid()))
		return true;
	err_set(err, "%s: the filter's program must be a file that only root may write", program);
	return false;
}

/* The fields behind the name, which is in brackets and may hold anything: state, and the 22nd. */
static bool read_start_time(pid_t pid, uint64_t *ret)
{
	autofree char *path = memory_format("/proc/%d/stat", (int)pid);
	autoclose int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	struct err ignored;
	struct buffer text;
	const char *rest;
	char state;
	bool good;

	if (descriptor < 0 || !descriptor_read(descriptor, path, SAID_MAX, &text, &ignored))
		return false;
	rest = strrchr(buffer_string(&text), ')');
	good = rest &&
	       sscanf(rest,
		      ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		      "%*d %" SCNu64,
		      &state, ret) == 2 &&
	       state != 'Z' && state != 'X';
	buffer_free(&text);
	return good;
}

bool filter_process_is_alive(const struct filter_process *process)
{
	uint64_t start_time;

	return read_start_time(process->pid, &start_time) && start_time == process->start_time;
}

/* 0 to 2 and the ready descriptor, and nothing besides. */
static bool settle_descriptors(int errors, int ready, struct err *err)
{
	int nowhere = descriptor_open_nowhere(O_CLOEXEC);

	nowhere = fcntl(nowhere, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	errors = fcntl(errors, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	ready = fcntl(ready, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY);
	if (nowhere >= 0 && errors >= 0 && ready >= 0 && dup2(nowhere, STDIN_FILENO) >= 0 &&
	    dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0 &&
	    dup2(ready, READY) >= 0 && !close_range(READY + 1, ~0U, 0))
		return true;
	err_set_errno(err, errno, "descriptors cannot be set");
	return false;
}

/* As many connections as this process may allow it. */
static void lift_limits(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

_Noreturn static void become_filter(const struct filter_start *start, int ready)
{
	autofree char *number = memory_format("%d", READY);
	char *arguments[] = { (char *)start->program, (char *)"--ready-fd", number,
			      (char *)start->settings, NULL };
	char *variables[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", (char *)"LANG=C",
			      NULL };
	struct err err;

	umask(027);
	lift_limits();
	if (settle_descriptors(start->errors, ready, &err) && environment_hand_over(&err) &&
	    privilege_become(&(struct privilege_ids){ .uid = start->uid, .gid = start->gid },
			     &err)) {
		if (!chdir("/"))
			execve(start->program, arguments, variables);
		err_set_errno(&err, errno, "%s: cannot be executed as uid %u", start->program,
			      (unsigned)start->uid);
	}
	dprintf(STDERR_FILENO, "%s\n", err.text);
	_exit(EXIT_FAILURE);
}

/* Two forks: what is left belongs to nobody who waits for children, and to no terminal. */
static bool start_orphan(const struct filter_start *start, int ready[2], pid_t *ret,
			 struct err *err)
{
	int pids[2];
	ssize_t got;
	pid_t middle;

	if (pipe2(pids, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	middle = fork();
	if (middle == 0) {
		pid_t own = setsid() < 0 ? -1 : fork();

		if (own == 0)
			become_filter(start, ready[1]);
		_exit(write(pids[1], &own, sizeof(own)) == sizeof(own) && own > 0 ? 0 : 1);
	}
	close(pids[1]);
	got = middle > 0 ? read(pids[0], ret, sizeof(*ret)) : 0;
	close(pids[0]);
	while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR)
		;
	if (got == sizeof(*ret) && *ret > 0)
		return true;
	err_set(err, "the filter's process cannot be made");
	return false;
}

/* Its last line on standard error, without control characters. */
static void take_last_words(int errors, struct err *err)
{
	char said[SAID_MAX + 1], *line;
	off_t end = lseek(errors, 0, SEEK_END);
	ssize_t got = pread(errors, said, SAID_MAX, end > SAID_MAX ? end - SAID_MAX : 0);

	if (got <= 0)
		return;
	while (got && said[got - 1] == '\n')
		got--;
	said[got] = '\0';
	line = memrchr(said, '\n', (size_t)got);
	line = line ? line + 1 : said;
	for (char *at = line; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	err_append(err, ": %.512s", line);
}

bool filter_process_await(const struct filter_start *start, int ready, struct err *err)
{
	uint64_t deadline = probe_now_us() + (uint64_t)start->timeout_ms * 1000;
	char line[sizeof(READY_LINE) - 1];
	size_t length = 0;

	while (length < sizeof(line)) {
		ssize_t got;

		if (!probe_wait(ready, POLLIN, deadline)) {
			err_set(err, "the filter was not ready within %u ms", start->timeout_ms);
			break;
		}
		got = read(ready, line + length, sizeof(line) - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			err_set(err, "the filter ended before it was ready");
			break;
		}
		length += (size_t)got;
	}
	if (length == sizeof(line) && !memcmp(line, READY_LINE, sizeof(line)))
		return true;
	if (length == sizeof(line))
		err_set(err, "the filter's program did not say that it was ready");
	take_last_words(start->errors, err);
	return false;
}

bool filter_process_start(const struct filter_start *start, struct filter_process *ret,
			  int *ret_ready, struct err *err)
{
	struct filter_process process = { .uid = start->uid };
	int ready[2];
	bool good;

	if (pipe2(ready, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	good = start_orphan(start, ready, &process.pid, err);
	close(ready[1]);
	if (!good) {
		close(ready[0]);
		return false;
	}
	/* One that has ended already says why, to whoever waits for it. */
	if (!read_start_time(process.pid, &process.start_time))
		process.start_time = 0;
	*ret = process;
	*ret_ready = ready[0];
	return true;
}

static bool has_ended(int pidfd, unsigned timeout_ms)
{
	return probe_wait(pidfd, POLLIN, probe_now_us() + (uint64_t)timeout_ms * 1000);
}

bool filter_process_end(const struct filter_process *process, struct err *err)
{
	autoclose int pidfd = pidfd_open(process->pid, 0);

	if (pidfd < 0 && errno != ESRCH) {
		err_set_errno(err, errno, "the filter, process %d, cannot be ended",
			      (int)process->pid);
		return false;
	}
	/* The number is only ours as long as what has it began when ours did. */
	if (pidfd < 0 || !filter_process_is_alive(process))
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
