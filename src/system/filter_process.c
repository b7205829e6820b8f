/* filter_process.c: the filter as a process: made, and begun. */
#include "system/filter_process.h"

#include "base/memory.h"
#include "system/descriptor.h"
#include "system/environment.h"
#include "system/privilege.h"
#include "system/probe_attempt.h"
#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Where the filter has the descriptor on which it says that it is ready. */
enum { READY = STDERR_FILENO + 1, OUT_OF_THE_WAY = READY + 2 };
enum { SAID_MAX = 4096 };
/* What it says there; lines of one length (egressfilter(8)). */
#define READY_LINE "ready\n"
#define TAKEN_LINE "taken\n"

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

/* Whoever made this process may be gone before it could be written down anywhere. */
static bool may_begin(int go)
{
	ssize_t got;
	char letter;

	do
		got = read(go, &letter, sizeof(letter));
	while (got < 0 && errno == EINTR);
	return got == sizeof(letter);
}

_Noreturn static void become_filter(const struct filter_start *start, int go, int ready)
{
	autofree char *number = memory_format("%d", READY);
	char *arguments[] = { (char *)start->program, (char *)"--ready-fd", number,
			      (char *)start->settings, NULL };
	char *variables[] = { (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", (char *)"LANG=C",
			      NULL };
	struct err err;

	if (!may_begin(go))
		_exit(EXIT_FAILURE);
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
static bool make_orphan(const struct filter_start *start, int go[2], int ready[2], pid_t *ret,
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
		pid_t own;

		close(go[1]);
		own = setsid() < 0 ? -1 : fork();
		if (own == 0)
			become_filter(start, go[0], ready[1]);
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

static bool await(const struct filter_start *start, int ready, bool *ret_taken, struct err *err)
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
	*ret_taken = length == sizeof(line) && !memcmp(line, TAKEN_LINE, sizeof(line));
	if (*ret_taken)
		err_set(err, "the filter ended before it was ready");
	else if (length == sizeof(line))
		err_set(err, "the filter's program did not say that it was ready");
	take_last_words(start->errors, err);
	return false;
}

bool filter_process_begin(const struct filter_start *start, const struct filter_link *link,
			  bool *ret_taken, struct err *err)
{
	static const char letter = 'g';

	*ret_taken = false;
	/* One that has ended already says why below. */
	if (write(link->go, &letter, sizeof(letter)) != sizeof(letter) && errno != EPIPE) {
		err_set_errno(err, errno, "the filter's process cannot be begun");
		return false;
	}
	return await(start, link->ready, ret_taken, err);
}

void filter_link_close(struct filter_link *link)
{
	descriptor_close(&link->go);
	descriptor_close(&link->ready);
}

bool filter_process_make(const struct filter_start *start, struct filter_process *ret,
			 struct filter_link *ret_link, struct err *err)
{
	struct filter_process process = { .uid = start->uid };
	int go[2], ready[2];
	bool good, alive = false;

	if (pipe2(go, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	if (pipe2(ready, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		close(go[0]);
		close(go[1]);
		return false;
	}
	good = make_orphan(start, go, ready, &process.pid, err) &&
	       process_start_time(process.pid, &alive, &process.start_time, err);
	close(go[0]);
	close(ready[1]);
	if (good && !alive) {
		err_set(err, "the filter's process ended before it began");
		good = false;
	}
	if (!good) {
		close(go[1]);
		close(ready[0]);
		return false;
	}
	*ret = process;
	*ret_link = (struct filter_link){ .go = go[1], .ready = ready[0] };
	return true;
}
