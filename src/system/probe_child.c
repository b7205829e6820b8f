/* probe_child.c: one attempt to reach one target, in a process of its own. */
#include "system/probe_child.h"

#include "system/descriptor.h"
#include "system/privilege.h"
#include "system/users.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PIPE = STDERR_FILENO + 1, /* where the pipe is moved; everything behind it is closed */
	GRACE_MS = 2000,          /* for the child's start and end */
	DATAGRAM_WAIT_MS = 300,   /* for an ICMP error that a datagram brings about */
	HANG_UP_MS = 500,         /* between the answer and the end */
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
	uint32_t source_port;
	uint64_t elapsed_us;
	struct err reason;
};

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* poll(2) for one descriptor until the deadline. The events, 0 when the time is over. */
static short wait_for(int descriptor, short events, uint64_t deadline_us)
{
	struct pollfd waiting = { .fd = descriptor, .events = events };

	for (;;) {
		uint64_t now = now_us();
		int left_ms = now < deadline_us ? (int)((deadline_us - now + 999) / 1000) : 0;
		int got = poll(&waiting, 1, left_ms);

		if (got > 0)
			return waiting.revents;
		if (got == 0 || errno != EINTR)
			return 0;
	}
}

static socklen_t socket_address(const struct address_port *from, struct sockaddr_storage *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (from->address.family == FAMILY_IPV4) {
		struct sockaddr_in *in = (struct sockaddr_in *)ret;

		in->sin_family = AF_INET;
		in->sin_port = htons(from->port);
		memcpy(&in->sin_addr, from->address.bytes, sizeof(in->sin_addr));
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(from->port);
	memcpy(&in6->sin6_addr, from->address.bytes, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}

static int pending_error(int descriptor)
{
	int errnum = 0;
	socklen_t length = sizeof(errnum);

	return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &errnum, &length) ? errno : errnum;
}

/* The port is chosen before anything is sent, so that the log's record can be told from others. */
static bool bind_port(int descriptor, enum family family, uint16_t *ret_port)
{
	struct address_port any = { .address = { .family = family } };
	struct sockaddr_storage own;
	socklen_t length = socket_address(&any, &own);

	if (bind(descriptor, (struct sockaddr *)&own, length) ||
	    getsockname(descriptor, (struct sockaddr *)&own, &length))
		return false;
	*ret_port = ntohs(family == FAMILY_IPV4 ? ((struct sockaddr_in *)&own)->sin_port
						: ((struct sockaddr_in6 *)&own)->sin6_port);
	return true;
}

static int try_stream(int descriptor, const struct sockaddr_storage *target, socklen_t length,
		      unsigned timeout_ms, struct probe_answer *answer)
{
	uint64_t deadline = now_us() + (uint64_t)timeout_ms * 1000;

	if (!connect(descriptor, (const struct sockaddr *)target, length))
		return 0;
	if (errno != EINPROGRESS && errno != EINTR)
		return errno;
	if (!wait_for(descriptor, POLLOUT, deadline)) {
		answer->timed_out = true;
		return ETIMEDOUT;
	}
	return pending_error(descriptor);
}

static int try_datagram(int descriptor, const struct sockaddr_storage *target, socklen_t length,
			unsigned timeout_ms, struct probe_answer *answer)
{
	/* A DNS header that asks nothing: valid wherever port 53 is listening. */
	static const uint8_t query[12] = { 0x65, 0x67, 0x01, 0x00 };
	unsigned wait_ms = timeout_ms < DATAGRAM_WAIT_MS ? timeout_ms : DATAGRAM_WAIT_MS;

	if (connect(descriptor, (const struct sockaddr *)target, length) ||
	    send(descriptor, query, sizeof(query), MSG_NOSIGNAL) < 0)
		return errno;
	answer->sent = true;
	if (!wait_for(descriptor, POLLIN, now_us() + (uint64_t)wait_ms * 1000))
		return 0;
	return pending_error(descriptor);
}

/* Socket, port, attempt. Whatever fails on the way is the attempt's result. */
static void attempt_target(const struct probe_attempt *attempt, struct probe_answer *answer)
{
	const struct address_port *target = &attempt->probe->target;
	bool stream = attempt->probe->protocol == PROBE_TCP;
	struct sockaddr_storage address;
	socklen_t length = socket_address(target, &address);
	uint64_t start = now_us();
	autoclose int descriptor =
		socket(address.ss_family,
		       (stream ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (descriptor < 0 || !bind_port(descriptor, target->address.family, &answer->source_port))
		answer->errnum = errno;
	else if (stream)
		answer->errnum =
			try_stream(descriptor, &address, length, attempt->timeout_ms, answer);
	else
		answer->errnum =
			try_datagram(descriptor, &address, length, attempt->timeout_ms, answer);
	answer->elapsed_us = now_us() - start;
}

/*
 * Keeps the pipe alone. The user may stop this process for ever: what it held, the lock of the
 * state directory above all, would be held for ever.
 */
static bool close_descriptors(int pipe_end, struct err *err)
{
	int nowhere;

	/* First the pipe: where its number was below, it is about to be taken by another. */
	if ((pipe_end != PIPE && dup3(pipe_end, PIPE, O_CLOEXEC) < 0) ||
	    (nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0 ||
	    dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
	    dup2(nowhere, STDERR_FILENO) < 0 || close_range(PIPE + 1, ~0U, 0) < 0) {
		err_set_errno(err, errno, "descriptors cannot be closed");
		return false;
	}
	return true;
}

/*
 * Has the kernel kill this process, stopped or not, when nobody is left to read the answer. The
 * signal of PR_SET_PDEATHSIG would not come: it is sent with the rights of the parent, who may not
 * kill another uid. This one is sent with those of whoever asked, so the ids come before.
 */
static bool bind_to_parent(pid_t parent, struct err *err)
{
	int flags = fcntl(PIPE, F_GETFL);

	if (prctl(PR_SET_DUMPABLE, 0) < 0 || flags < 0 || fcntl(PIPE, F_SETSIG, SIGKILL) < 0 ||
	    fcntl(PIPE, F_SETOWN, getpid()) < 0 || fcntl(PIPE, F_SETFL, flags | O_ASYNC) < 0) {
		err_set_errno(err, errno, "the signal for the parent's end cannot be chosen");
		return false;
	}
	/* It may have ended before that. */
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return true;
}

static bool become(const struct probe_attempt *attempt, gid_t gid, pid_t parent, struct err *err)
{
	return (attempt->as_caller ? privilege_isolate(err)
				   : privilege_become(attempt->probe->uid, gid, err)) &&
	       bind_to_parent(parent, err);
}

_Noreturn static void run_child(const struct probe_attempt *attempt, gid_t gid, int pipe_end,
				pid_t parent)
{
	struct message message = { .magic = MESSAGE_MAGIC };
	struct probe_answer answer = { 0 };

	if (close_descriptors(pipe_end, &message.reason))
		pipe_end = PIPE;
	else
		message.failed = 1;
	/* The ids before the socket: the kernel judges it by who opened it. */
	if (message.failed || !become(attempt, gid, parent, &message.reason)) {
		message.failed = 1;
	} else {
		attempt_target(attempt, &answer);
		message.errnum = (uint32_t)answer.errnum;
		message.timed_out = answer.timed_out;
		message.sent = answer.sent;
		message.source_port = answer.source_port;
		message.elapsed_us = answer.elapsed_us;
	}
	_exit(write(pipe_end, &message, sizeof(message)) == sizeof(message) ? 0 : 1);
}

/* The child's bytes are taken as untrusted: it runs as the confined user. */
static bool check_message(struct message *message, struct probe_answer *ret, struct err *err)
{
	if (message->magic != MESSAGE_MAGIC || message->failed > 1 || message->timed_out > 1 ||
	    message->sent > 1 || message->errnum > ERRNO_MAX || message->source_port > UINT16_MAX ||
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
		.source_port = (uint16_t)message->source_port,
		.elapsed_us = message->elapsed_us,
	};
	return true;
}

static bool read_answer(int pipe_end, unsigned timeout_ms, struct probe_answer *ret,
			struct err *err)
{
	uint64_t deadline = now_us() + ((uint64_t)timeout_ms + GRACE_MS) * 1000;
	struct message message;
	ssize_t got;

	if (!wait_for(pipe_end, POLLIN, deadline)) {
		err_set(err, "did not answer within %u ms", timeout_ms + GRACE_MS);
		return false;
	}
	do
		got = read(pipe_end, &message, sizeof(message));
	while (got < 0 && errno == EINTR);
	if (got != sizeof(message)) {
		err_set(err, "ended without an answer");
		return false;
	}
	return check_message(&message, ret, err);
}

/*
 * A child that has ended hangs up. One that has not is killed: its user, as whom it runs, could
 * have stopped it, and waiting for it would then never end.
 */
static bool reap(pid_t child, const struct probe_attempt *attempt, int pipe_end, bool answered,
		 struct err *err)
{
	uid_t uid = attempt->as_caller ? geteuid() : attempt->probe->uid;
	bool ended = answered && wait_for(pipe_end, 0, now_us() + HANG_UP_MS * 1000) != 0;

	if (!ended && !privilege_kill(child, uid, err))
		return false;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

bool probe_child(const struct probe_attempt *attempt, struct probe_answer *ret, struct err *err)
{
	gid_t gid = attempt->as_caller ? getgid() : users_gid(attempt->probe->uid, NULL);
	struct probe_answer answer;
	int ends[2], errnum;
	pid_t child, parent = getpid();
	bool good;

	if (pipe2(ends, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot make a pipe");
		return false;
	}
	child = fork();
	errnum = errno;
	if (child == 0)
		run_child(attempt, gid, ends[1], parent);
	close(ends[1]);
	if (child < 0) {
		err_set_errno(err, errnum, "cannot be started");
		close(ends[0]);
		return false;
	}
	good = read_answer(ends[0], attempt->timeout_ms, &answer, err);
	good = reap(child, attempt, ends[0], good, err) && good;
	close(ends[0]);
	if (good)
		*ret = answer;
	return good;
}
