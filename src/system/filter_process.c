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
#include <sys/pidfd.h>
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

/*
 * The filter's parent, until whoever asked for it has closed the other end of the pipe: the status
 * of a filter that ends before goes there.
 */
_Noreturn static void watch(pid_t filter, int pipe)
{
	struct pollfd waiting[] = { { .fd = pipe }, { .events = POLLIN } };
	int status;

	/* Where there is none nothing is told, and it ends with the pipe all the same. */
	waiting[1].fd = pidfd_open(filter, 0);
	while (poll(waiting, 2, -1) < 0 && errno == EINTR)
		;
	if (waiting[1].revents && waitpid(filter, &status, WNOHANG) == filter &&
	    write(pipe, &status, sizeof(status)) != sizeof(status))
		_exit(EXIT_FAILURE);
	_exit(EXIT_SUCCESS);
}

_Noreturn static void make_filter(const struct filter_start *start, int go, int ready, int pipe)
{
	pid_t own = setsid() < 0 ? -1 : fork();

	if (own == 0)
		become_filter(start, go, ready);
	/* A filter that has ended must be seen to have. */
	close(go);
	close(ready);
	if (own < 0 || write(pipe, &own, sizeof(own)) != sizeof(own))
		_exit(EXIT_FAILURE);
	watch(own, pipe);
}

/* Two forks: what is left belongs to nobody who waits for children, and to no terminal. */
static bool make_orphan(const struct filter_start *start, int go[2], int ready[2], pid_t *ret,
			struct filter_link *link, struct err *err)
{
	int pipe[2];
	ssize_t got;
	pid_t watcher;

	if (pipe2(pipe, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	watcher = fork();
	if (watcher == 0) {
		close(go[1]);
		close(ready[0]);
		close(pipe[0]);
		make_filter(start, go[0], ready[1], pipe[1]);
	}
	close(pipe[1]);
	got = watcher > 0 ? read(pipe[0], ret, sizeof(*ret)) : 0;
	link->watch = pipe[0];
	link->watcher = watcher;
	if (got == sizeof(*ret) && *ret > 0)
		return true;
	err_set(err, "the filter's process cannot be made");
	return false;
}

/* How it ended, where that can be told. */
static void append_status(const struct filter_link *link, uint64_t deadline, struct err *err)
{
	int status;

	if (!probe_wait(link->watch, POLLIN, deadline) ||
	    read(link->watch, &status, sizeof(status)) != sizeof(status))
		return;
	if (WIFSIGNALED(status))
		err_append(err, ", by signal %d", WTERMSIG(status));
	else
		err_append(err, ", with status %d", WEXITSTATUS(status));
}

static bool is_own(const char *line)
{
	static const char own_name[] = "egressfilter: ";

	return !strncmp(line, own_name, sizeof(own_name) - 1);
}

/*
 * Of what it said on standard error the last line that is the filter's own, which tells why it
 * ended; of another program the first line.
 */
static const char *find_words(char *said)
{
	char *found = NULL, *saved, *line = strtok_r(said, "\n", &saved);

	for (; line; line = strtok_r(NULL, "\n", &saved)) {
		if (!found || is_own(line))
			found = line;
		for (char *at = line; *at; at++)
			if (*at < ' ' || *at > '~')
				*at = '?';
	}
	return found;
}

/* Whether it is the filter who spoke. */
static bool append_words(const struct filter_start *start, struct err *err)
{
	char said[SAID_MAX + 1];
	ssize_t got = pread(start->errors, said, SAID_MAX, 0);
	const char *words;

	said[got > 0 ? got : 0] = '\0';
	words = find_words(said);
	if (words)
		err_append(err, ": %.512s", words);
	return words && is_own(words);
}

static bool await(const struct filter_start *start, const struct filter_link *link, bool *ret_taken,
		  struct err *err)
{
	uint64_t deadline = probe_now_us() + (uint64_t)start->timeout_ms * 1000;
	char line[sizeof(READY_LINE) - 1];
	bool ended = false;
	size_t length = 0;

	while (length < sizeof(line)) {
		ssize_t got;

		if (!probe_wait(link->ready, POLLIN, deadline)) {
			err_set(err, "the filter was not ready within %u ms", start->timeout_ms);
			break;
		}
		got = read(link->ready, line + length, sizeof(line) - length);
		if (got < 0 && errno == EINTR)
			continue;
		ended = got <= 0;
		if (ended)
			break;
		length += (size_t)got;
	}
	if (length == sizeof(line) && !memcmp(line, READY_LINE, sizeof(line)))
		return true;
	*ret_taken = length == sizeof(line) && !memcmp(line, TAKEN_LINE, sizeof(line));
	if (*ret_taken || ended) {
		err_set(err, "the filter, %s, ended before it was ready", start->program);
		append_status(link, deadline, err);
	} else if (length == sizeof(line)) {
		err_set(err, "the filter's program, %s, did not say that it was ready",
			start->program);
	}
	if (!append_words(start, err) && ended)
		err_append(err, "; is that egressfilter (--filter-program)?");
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
	return await(start, link, ret_taken, err);
}

void filter_link_close(struct filter_link *link)
{
	descriptor_close(&link->go);
	descriptor_close(&link->ready);
	descriptor_close(&link->watch);
	while (link->watcher > 0 && waitpid(link->watcher, NULL, 0) < 0 && errno == EINTR)
		;
}

bool filter_process_make(const struct filter_start *start, struct filter_process *ret,
			 struct filter_link *ret_link, struct err *err)
{
	struct filter_process process = { .uid = start->uid };
	struct filter_link link;
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
	link = (struct filter_link){ .go = go[1], .ready = ready[0], .watch = -1 };
	good = make_orphan(start, go, ready, &process.pid, &link, err) &&
	       process_start_time(process.pid, &alive, &process.start_time, err);
	close(go[0]);
	close(ready[1]);
	if (good && !alive) {
		err_set(err, "the filter's process ended before it began");
		good = false;
	}
	if (!good) {
		filter_link_close(&link);
		return false;
	}
	*ret = process;
	*ret_link = link;
	return true;
}
