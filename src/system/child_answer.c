/* child_answer.c: a question answered in a process of its own, which may be somebody else. */
#include "system/child_answer.h"

#include "system/descriptor.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PIPE = STDERR_FILENO + 1, DONE = 'd', FAILED = 'f', READ_LEAST = 4096 };

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool write_all(const void *bytes, size_t length)
{
	const char *from = bytes;

	while (length) {
		ssize_t put = write(PIPE, from, length);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		from += put;
		length -= (size_t)put;
	}
	return true;
}

/* Keeps the pipe alone: what the user could make of our other descriptors is nobody's business. */
static bool keep_pipe(int end, struct err *err)
{
	if ((end == PIPE || dup3(end, PIPE, O_CLOEXEC) >= 0) && !close_range(PIPE + 1, INT_MAX, 0))
		return true;
	err_set_errno(err, errno, "descriptors cannot be closed");
	return false;
}

_Noreturn static void run_child(const struct child_question *question, int end)
{
	struct buffer answer = { 0 };
	struct err err = { "" };
	uint8_t head = DONE;
	bool kept = keep_pipe(end, &err);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!kept || !question->work(question->context, &answer, &err)) {
		head = FAILED;
		answer.length = 0;
		buffer_append_text(&answer, err.text);
	}
	_exit(kept && write_all(&head, 1) && write_all(answer.data, answer.length) ? 0 : 1);
}

/* Reads to the end of the pipe. */
static bool read_answer(int end, const struct child_question *question, struct buffer *ret,
			struct err *err)
{
	int64_t deadline = now_ms() + question->timeout_ms;

	for (;;) {
		struct pollfd waiting = { .fd = end, .events = POLLIN };
		int64_t left = deadline - now_ms();
		int ready = left > 0 ? poll(&waiting, 1, (int)left) : 0;
		size_t room;
		ssize_t got;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0) {
			err_set(err, "a child process did not answer within %u ms",
				question->timeout_ms);
			return false;
		}
		room = ret->length < READ_LEAST ? READ_LEAST : ret->length;
		got = read(end, buffer_reserve(ret, room), room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		ret->length += (size_t)got;
		if (ret->length > question->limit + ERR_TEXT_SIZE)
			break;
	}
	if (ret->length && (*ret->data == DONE || *ret->data == FAILED) &&
	    ret->length - 1 <= (*ret->data == DONE ? question->limit : ERR_TEXT_SIZE))
		return true;
	err_set(err, "a child process ended without an answer");
	return false;
}

static void reap(pid_t child, const struct child_question *question, bool answered)
{
	struct err ignored;

	/* One that has answered is about to end by itself. */
	if (!answered && !privilege_kill(child, question->uid, &ignored))
		kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

bool child_answer(const struct child_question *question, struct buffer *ret, struct err *err)
{
	struct buffer answer = { 0 };
	int ends[2];
	pid_t child;
	bool good;

	if (pipe2(ends, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	child = fork();
	if (child == 0)
		run_child(question, ends[1]);
	if (child < 0)
		err_set_errno(err, errno, "cannot start a child process");
	close(ends[1]);
	good = child > 0 && read_answer(ends[0], question, &answer, err);
	if (child > 0)
		reap(child, question, good);
	close(ends[0]);
	if (good && *answer.data == FAILED) {
		err_set(err, "%s", buffer_string(&answer) + 1);
		good = false;
	}
	if (good) {
		*ret = (struct buffer){ 0 };
		buffer_append(ret, answer.data + 1, answer.length - 1);
	}
	buffer_free(&answer);
	return good;
}

bool child_enter_own_namespaces(struct err *err)
{
	if (!unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return true;
	err_set_errno(err, errno, "a user and network namespace of its own cannot be made");
	return false;
}
