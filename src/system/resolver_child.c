/* resolver_child.c: the process that resolves, and what it writes to the one that waits for it. */
#include "system/resolver_child.h"

#include "base/buffer.h"
#include "system/descriptor.h"
#include "system/privilege.h"
#include "system/resolver_config.h"
#include "system/resolver_lookup.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Where the pipe is moved; everything behind it is closed. */
enum { PIPE = STDERR_FILENO + 1 };

/* Far more than the names of the largest policy need. */
static const rlim_t memory_max = (rlim_t)1024 * 1024 * 1024;

/* False: the other end is gone, or does not want to hear more. */
static bool frame_write(int pipe, enum resolver_frame kind, const void *bytes, size_t length)
{
	struct buffer frame __attribute__((cleanup(buffer_free))) = { 0 };
	size_t written = 0;

	buffer_append_u8(&frame, (uint8_t)kind);
	buffer_append_u32(&frame, (uint32_t)length);
	buffer_append(&frame, bytes, length);
	while (written < frame.length) {
		ssize_t count = write(pipe, frame.data + written, frame.length - written);

		if (count < 0 && errno != EINTR)
			return false;
		written += count > 0 ? (size_t)count : 0;
	}
	return true;
}

/* Standard input and output lead nowhere; standard error is for "out of memory" alone. */
static bool close_descriptors(int pipe, struct err *err)
{
	int nowhere;

	/* First the pipe: where its number was below, it is about to be taken by another. */
	if ((pipe != PIPE && dup3(pipe, PIPE, O_CLOEXEC) < 0) ||
	    (nowhere = descriptor_open_nowhere(O_CLOEXEC)) < 0 || dup2(nowhere, STDIN_FILENO) < 0 ||
	    dup2(nowhere, STDOUT_FILENO) < 0 || close_range(PIPE + 1, INT_MAX, 0) < 0) {
		err_set_errno(err, errno, "descriptors cannot be closed");
		return false;
	}
	return true;
}

/* What the parent wants to do about a signal is not for this process to do. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number <= SIGRTMAX; number++)
		signal(number, SIG_DFL);
	/* A write to a file fails: last words must not hide what the process dies of. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool limit(int resource, rlim_t value, struct err *err)
{
	struct rlimit limits = { .rlim_cur = value, .rlim_max = value };

	if (setrlimit(resource, &limits) < 0) {
		err_set_errno(err, errno, "a resource limit cannot be set");
		return false;
	}
	return true;
}

static bool limit_resources(struct err *err)
{
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
	if (!limit(RLIMIT_DATA, memory_max, err))
		return false;
#else
	(void)memory_max;
#endif
	return limit(RLIMIT_CORE, 0, err) && limit(RLIMIT_FSIZE, 0, err) &&
	       limit(RLIMIT_NPROC, 0, err);
}

static bool isolate(pid_t parent, struct err *err)
{
	reset_signals();
	if (!privilege_isolate(err) || !limit_resources(err))
		return false;
	/* RES_OPTIONS, LOCALDOMAIN, HOSTALIASES and whatever a library may look for. */
	clearenv();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
		err_set_errno(err, errno, "the signal for the parent's end cannot be chosen");
		return false;
	}
	/* It may have ended before that. */
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	return true;
}

_Noreturn static void fail(int pipe, const struct err *err)
{
	frame_write(pipe, FRAME_ERROR, err->text, strlen(err->text));
	_exit(EXIT_FAILURE);
}

static void report_open(void *context, size_t open)
{
	uint32_t count = htobe32((uint32_t)open);

	(void)context;
	if (!frame_write(PIPE, FRAME_OPEN, &count, sizeof(count)))
		_exit(EXIT_FAILURE);
}

_Noreturn void resolver_child(const struct policy *policy, const struct resolver_settings *settings,
			      const char *const *names, size_t count, int pipe, pid_t parent)
{
	const struct lookup_settings lookup_settings = {
		.timeout_ms = settings->timeout_ms,
		.names_max = settings->in_flight_max,
		.retry_ms = settings->retry_ms,
		.progress = report_open,
	};
	struct nameservers servers;
	struct resolved resolved;
	struct buffer result = { 0 };
	struct err err;

	if (!close_descriptors(pipe, &err))
		fail(pipe, &err);
	if (!isolate(parent, &err))
		fail(PIPE, &err);
	if (!nameservers_read(settings->resolv_conf, &servers, &err) ||
	    !lookup_names(policy, names, count, &servers, &lookup_settings, &resolved, &err))
		fail(PIPE, &err);
	resolved_encode(&resolved, &result);
	/* The process ends here: the kernel is quicker at freeing. */
	_exit(frame_write(PIPE, FRAME_RESULT, result.data, result.length) ? EXIT_SUCCESS
									  : EXIT_FAILURE);
}
