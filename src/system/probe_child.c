/* probe_child.c: attempts to reach targets, one after the other, in a process of their own. */
#include "system/probe_child.h"

#include "system/descriptor.h"
#include "system/privilege.h"
#include "system/users.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pipes, and where the child has its ends of them; everything behind is closed. */
enum pipe { REQUESTS, ANSWERS, LEASH, PIPES };
enum {
	FIRST_PIPE = STDERR_FILENO + 1,
	OUT_OF_THE_WAY = FIRST_PIPE + PIPES,
	GRACE_MS = 2000,  /* for the child's start and end */
	HANG_UP_MS = 500, /* between the answer and the end */
	MESSAGE_MAGIC = 0x65676677,
	ERRNO_MAX = 4095, /* what the kernel can answer */
};

/* What goes over the pipe, in one write of fewer than PIPE_BUF bytes. */
struct message {
	uint32_t magic;
	uint32_t failed; /* 1: `reason` says what could not be done, and there is no answer */
	uint32_t errnum;
	uint32_t timed_out;
	uint32_t sent;
	uint32_t answered;
	uint32_t source_port;
	uint64_t elapsed_us;
	struct err reason;
};

/*
 * Keeps its ends of the pipes alone, at fixed places. The user may stop this process for ever: what
 * it held, the lock of the state directory above all, would be held for ever.
 */
static bool close_descriptors(int ends[PIPES], struct err *err)
{
	bool good = true;
	int nowhere;

	for (int i = 0; i < PIPES && good; i++)
		good = (ends[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)) >= 0;
	for (int i = 0; i < PIPES && good; i++)
		good = dup3(ends[i], FIRST_PIPE + i, O_CLOEXEC) >= 0;
	if (!good || (nowhere = descriptor_open_nowhere(O_CLOEXEC)) < 0 ||
	    dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
	    dup2(nowhere, STDERR_FILENO) < 0 || close_range(OUT_OF_THE_WAY, INT_MAX, 0) < 0) {
		err_set_errno(err, errno, "descriptors cannot be closed");
		return false;
	}
	for (int i = 0; i < PIPES; i++)
		ends[i] = FIRST_PIPE + i;
	return true;
}

/*
 * Has the kernel kill this process, stopped or not, when nobody is left to read the answers:
 * nothing ever goes over the leash, so all that can happen to it is its end. The signal of
 * PR_SET_PDEATHSIG would not come: it is sent with the rights of the parent, who may not kill
 * another uid. This one is sent with those of whoever asked, so the ids come before.
 */
static bool bind_to_parent(int leash, pid_t parent, struct err *err)
{
	int flags = fcntl(leash, F_GETFL);

	if (prctl(PR_SET_DUMPABLE, 0) < 0 || flags < 0 || fcntl(leash, F_SETSIG, SIGKILL) < 0 ||
	    fcntl(leash, F_SETOWN, getpid()) < 0 || fcntl(leash, F_SETFL, flags | O_ASYNC) < 0) {
		err_set_errno(err, errno, "the signal for the parent's end cannot be chosen");
		return false;
	}
	/* It may have ended before that. */
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return true;
}

/* The ids before any socket: the kernel judges it by who opened it. */
static bool settle(const struct probe_child_settings *settings, gid_t gid, int ends[PIPES],
		   pid_t parent, struct err *err)
{
	const struct privilege_ids ids = { .uid = settings->uid, .gid = gid };

	return close_descriptors(ends, err) &&
	       (settings->as_caller ? privilege_isolate(err) : privilege_become(&ids, err)) &&
	       bind_to_parent(ends[LEASH], parent, err);
}

static void send_message(int answers, const struct message *message)
{
	if (write(answers, message, sizeof(*message)) != sizeof(*message))
		_exit(EXIT_FAILURE);
}

_Noreturn static void run_child(const struct probe_child_settings *settings, gid_t gid,
				int ends[PIPES], pid_t parent)
{
	struct message failure = { .magic = MESSAGE_MAGIC, .failed = 1 };
	bool settled = settle(settings, gid, ends, parent, &failure.reason);
	uint32_t index;

	while (read(ends[REQUESTS], &index, sizeof(index)) == sizeof(index)) {
		if (!settled) {
			send_message(ends[ANSWERS], &failure);
			_exit(EXIT_FAILURE);
		}
		struct probe_answer answer =
			probe_attempt(&settings->probes->items[index], settings->timeout_ms);
		struct message message = {
			.magic = MESSAGE_MAGIC,
			.errnum = (uint32_t)answer.errnum,
			.timed_out = answer.timed_out,
			.sent = answer.sent,
			.answered = answer.answered,
			.source_port = answer.source_port,
			.elapsed_us = answer.elapsed_us,
		};

		send_message(ends[ANSWERS], &message);
	}
	_exit(EXIT_SUCCESS);
}

/* The child's bytes are taken as untrusted: it runs as the confined user. */
static bool check_message(struct message *message, struct probe_answer *ret, struct err *err)
{
	if (message->magic != MESSAGE_MAGIC || message->failed > 1 || message->timed_out > 1 ||
	    message->sent > 1 || message->answered > 1 || message->errnum > ERRNO_MAX ||
	    message->source_port > UINT16_MAX ||
	    (message->timed_out && message->errnum != ETIMEDOUT) ||
	    !memchr(message->reason.text, '\0', sizeof(message->reason.text))) {
		err_set(err, "answered nonsense");
		return false;
	}
	if (message->failed) {
		for (char *at = message->reason.text; *at; at++)
			if (*at < ' ' || *at > '~')
				*at = '?';
		err_set(err, "%s", message->reason.text);
		return false;
	}
	*ret = (struct probe_answer){
		.errnum = (int)message->errnum,
		.timed_out = message->timed_out,
		.sent = message->sent,
		.answered = message->answered,
		.source_port = (uint16_t)message->source_port,
		.elapsed_us = message->elapsed_us,
	};
	return true;
}

static bool read_answer(const struct probe_child *child, struct probe_answer *ret, struct err *err)
{
	uint64_t deadline = probe_now_us() + ((uint64_t)child->timeout_ms + GRACE_MS) * 1000;
	struct message message;
	ssize_t got;

	if (!probe_wait(child->answers, POLLIN, deadline)) {
		err_set(err, "did not answer within %u ms", child->timeout_ms + GRACE_MS);
		return false;
	}
	do
		got = read(child->answers, &message, sizeof(message));
	while (got < 0 && errno == EINTR);
	if (got != sizeof(message)) {
		err_set(err, "ended without an answer");
		return false;
	}
	return check_message(&message, ret, err);
}

static void close_both(int ends[2])
{
	descriptor_close(&ends[0]);
	descriptor_close(&ends[1]);
}

static bool open_pipes(int pipes[PIPES][2], struct err *err)
{
	for (int i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC)) {
			err_set_errno(err, errno, "cannot make a pipe");
			while (i--)
				close_both(pipes[i]);
			return false;
		}
	return true;
}

bool probe_child_start(const struct probe_child_settings *settings, struct probe_child *ret,
		       struct err *err)
{
	gid_t gid = settings->as_caller ? getgid() : users_gid(settings->uid, NULL);
	pid_t child, parent = getpid();
	int pipes[PIPES][2], errnum;

	if (!open_pipes(pipes, err))
		return false;
	child = fork();
	errnum = errno;
	if (child == 0)
		run_child(settings, gid,
			  (int[]){ pipes[REQUESTS][0], pipes[ANSWERS][1], pipes[LEASH][0] },
			  parent);
	close(pipes[REQUESTS][0]);
	close(pipes[ANSWERS][1]);
	close(pipes[LEASH][0]);
	*ret = (struct probe_child){
		.pid = child,
		.uid = settings->as_caller ? geteuid() : settings->uid,
		.timeout_ms = settings->timeout_ms,
		.requests = pipes[REQUESTS][1],
		.answers = pipes[ANSWERS][0],
		.leash = pipes[LEASH][1],
	};
	if (child > 0)
		return true;
	err_set_errno(err, errnum, "cannot be started");
	close(ret->requests);
	close(ret->answers);
	close(ret->leash);
	return false;
}

bool probe_child_try(struct probe_child *child, size_t index, struct probe_answer *ret,
		     struct err *err)
{
	uint32_t request = (uint32_t)index;

	/* Where it is gone (SIGPIPE is ignored), it may have said why. */
	if (write(child->requests, &request, sizeof(request)) != sizeof(request) &&
	    errno != EPIPE) {
		err_set_errno(err, errno, "cannot be asked");
		return false;
	}
	return read_answer(child, ret, err);
}

/*
 * A child that has ended hangs up. One that has not is killed: its user, as whom it runs, could
 * have stopped it, and waiting for it would then never end.
 */
bool probe_child_end(struct probe_child *child, struct err *err)
{
	bool good;

	descriptor_close(&child->requests);
	descriptor_close(&child->leash);
	good = probe_wait(child->answers, 0, probe_now_us() + HANG_UP_MS * 1000) ||
	       privilege_kill(child->pid, child->uid, err);
	while (good && waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	descriptor_close(&child->answers);
	return good;
}
