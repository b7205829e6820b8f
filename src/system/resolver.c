/* resolver.c: all names of a policy at once, in a child that has no privileges. */
#include "system/resolver.h"

#include "base/buffer.h"
#include "base/cursor.h"
#include "system/resolver_child.h"
#include "system/resolver_question.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN_FLIGHT_DEFAULT = 128, RETRY_MS_DEFAULT = 300 };

/* What the child has beyond its own time limit, to write its answer. */
enum { MARGIN_MS = 2000 };

enum { ANSWER_MAX = 64 * 1024 * 1024 };

/* What has come through the pipe. */
struct reader {
	int pipe;
	struct buffer bytes; /* frames that are not yet whole */
	size_t open, total;
	bool has_last; /* the result or the error is there: */
	enum resolver_frame last;
	struct cursor content;
};

/* Takes whole frames off the bytes; false: what is there is no frame. */
static bool frames_take(struct reader *reader, struct err *err)
{
	for (;;) {
		struct cursor cursor = cursor_over(reader->bytes.data, reader->bytes.length);
		uint8_t kind;
		uint32_t length, open;
		const uint8_t *content;

		if (!cursor_u8(&cursor, &kind) || !cursor_u32(&cursor, &length))
			return true;
		if (kind >= RESOLVER_FRAMES || length > ANSWER_MAX) {
			err_set(err, "the resolving process wrote a frame of kind %u and %u octets",
				kind, length);
			return false;
		}
		content = cursor_take(&cursor, length);
		if (!content)
			return true;
		if (kind != FRAME_OPEN) {
			reader->has_last = true;
			reader->last = (enum resolver_frame)kind;
			reader->content = cursor_over(content, length);
			return true;
		}
		cursor = cursor_over(content, length);
		if (cursor_u32(&cursor, &open) && open <= reader->total)
			reader->open = open;
		memmove(reader->bytes.data, content + length,
			reader->bytes.length - FRAME_HEADER_SIZE - length);
		reader->bytes.length -= FRAME_HEADER_SIZE + length;
	}
}

/* Reads what is there; *ret_ended: the child has closed the pipe. */
static bool pipe_read(struct reader *reader, bool *ret_ended, struct err *err)
{
	enum { CHUNK = 64 * 1024 };
	ssize_t count = read(reader->pipe, buffer_reserve(&reader->bytes, CHUNK), CHUNK);

	if (count < 0) {
		if (errno == EINTR)
			return true;
		err_set_errno(err, errno, "the answer of the resolving process cannot be read");
		return false;
	}
	*ret_ended = count == 0;
	reader->bytes.length += (size_t)count;
	return frames_take(reader, err);
}

/* Reads until the last frame is there or the child has closed the pipe. */
static bool answer_read(struct reader *reader, const struct resolver_settings *settings,
			struct err *err)
{
	uint64_t start = milliseconds_now(), now = start, next_progress = start + 1000;
	uint64_t end = start + settings->timeout_ms + MARGIN_MS;
	bool ended = false;

	while (!ended && !reader->has_last) {
		struct pollfd polled = { .fd = reader->pipe, .events = POLLIN };
		uint64_t next = next_progress < end ? next_progress : end;
		int ready = poll(&polled, 1, next > now ? (int)(next - now) : 0);

		if (ready > 0 && !pipe_read(reader, &ended, err))
			return false;
		now = milliseconds_now();
		if (now >= next_progress) {
			next_progress = now + 1000;
			if (settings->progress && !ended && !reader->has_last)
				settings->progress(settings->context, reader->open, reader->total,
						   (unsigned)(now - start));
		}
		if (now >= end && !reader->has_last) {
			err_set(err, "the resolving process did not answer within %u ms",
				settings->timeout_ms + MARGIN_MS);
			return false;
		}
	}
	return true;
}

/* Whether or not the child is about to end by itself, it is not waited for any longer than that. */
static bool child_end(pid_t child, int *ret_status, struct err *err)
{
	kill(child, SIGKILL);
	while (waitpid(child, ret_status, 0) < 0)
		if (errno != EINTR) {
			err_set_errno(err, errno, "the resolving process cannot be waited for");
			return false;
		}
	return true;
}

/* The sentence of the child is bytes like any others: only what can be printed is taken over. */
static void error_take(struct cursor content, struct err *err)
{
	char text[ERR_TEXT_SIZE];
	size_t length = 0;
	uint8_t octet;

	while (length < sizeof(text) - 1 && cursor_u8(&content, &octet))
		text[length++] = octet >= ' ' && octet < 0x7f ? (char)octet : '?';
	text[length] = '\0';
	err_set(err, "the resolving process: %s", text);
}

/* What the last frame comes to or, where there is none, how the child ended. */
static bool outcome(const struct reader *reader, int status, const struct policy *policy,
		    struct resolved *ret, struct err *err)
{
	if (reader->has_last && reader->last == FRAME_ERROR) {
		error_take(reader->content, err);
		return false;
	}
	if (!reader->has_last && WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		err_set(err, "the resolving process was ended by SIG%s", name ? name : "?");
		return false;
	}
	if (!reader->has_last) {
		err_set(err, "the resolving process ended with status %d and without an answer",
			WEXITSTATUS(status));
		return false;
	}
	if (!resolved_decode(reader->content.data, reader->content.length, policy, ret, err)) {
		err_wrap(err, "the answer of the resolving process");
		return false;
	}
	return true;
}

static bool child_start(const struct policy *policy, const struct resolver_settings *settings,
			const char *const *names, size_t count, int *ret_pipe, pid_t *ret_child,
			struct err *err)
{
	pid_t parent = getpid(), child;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0) {
		err_set_errno(err, errno, "no pipe to a resolving process");
		return false;
	}
	child = fork();
	if (child == 0)
		resolver_child(policy, settings, names, count, pipes[1], parent);
	if (child < 0) {
		err_set_errno(err, errno, "no process to resolve in");
		close(pipes[0]);
		close(pipes[1]);
		return false;
	}
	close(pipes[1]);
	*ret_pipe = pipes[0];
	*ret_child = child;
	return true;
}

bool resolver_run(const struct policy *policy, const struct resolver_settings *settings,
		  struct resolved *ret, struct err *err)
{
	struct resolver_settings all = *settings;
	struct reader reader = { .pipe = -1 };
	const char **names;
	pid_t child;
	int status;
	bool ok;

	all.resolv_conf = all.resolv_conf ? all.resolv_conf : "/etc/resolv.conf";
	all.in_flight_max = all.in_flight_max ? all.in_flight_max : IN_FLIGHT_DEFAULT;
	all.retry_ms = all.retry_ms ? all.retry_ms : RETRY_MS_DEFAULT;
	if (!policy_names(policy, &names, &reader.total, err))
		return false;
	if (!reader.total) {
		free(names);
		*ret = (struct resolved){ 0 };
		return true;
	}
	reader.open = reader.total;
	ok = child_start(policy, &all, names, reader.total, &reader.pipe, &child, err);
	free(names);
	if (!ok)
		return false;
	ok = answer_read(&reader, &all, err);
	close(reader.pipe);
	ok = child_end(child, &status, err) && ok;
	ok = ok && outcome(&reader, status, policy, ret, err);
	buffer_free(&reader.bytes);
	return ok;
}
