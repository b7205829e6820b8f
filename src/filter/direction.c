/* direction.c: one direction of a tunnel: octets from one socket to another, unseen where nobody looks. */
#include "filter/direction.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	COPY_SIZE = 16 * 1024,
	SPLICE_SIZE = 256 * 1024,
	SPLICE_MANY = 32 * 1024, /* more is likely to be there behind as much as this */
	TURN_ROUNDS = 8,         /* reads of one turn */
};

/* STEP_LAST: done, and there is most likely nothing more for now. */
enum step { STEP_DONE, STEP_LAST, STEP_WAIT, STEP_BROKEN };

static enum step step_of_errno(void)
{
	return errno == EAGAIN || errno == EINTR ? STEP_WAIT : STEP_BROKEN;
}

void direction_put(struct direction *direction, const void *octets, size_t length)
{
	buffer_append(&direction->passed, octets, length);
}

static void remove_first(struct buffer *buffer, size_t length)
{
	buffer->length -= length;
	if (buffer->length)
		memmove(buffer->data, buffer->data + length, buffer->length);
	else
		buffer_free(buffer);
}

void direction_pass(struct direction *direction, size_t length)
{
	buffer_append(&direction->passed, direction->held.data, length);
	remove_first(&direction->held, length);
}

void direction_release(struct direction *direction)
{
	direction->inspect = NULL;
	direction_pass(direction, direction->held.length);
}

static enum step write_passed(struct direction *direction)
{
	struct buffer *passed = &direction->passed;

	while (direction->written < passed->length) {
		ssize_t sent = send(direction->to, passed->data + direction->written,
				    passed->length - direction->written, MSG_NOSIGNAL);

		if (sent < 0)
			return step_of_errno();
		direction->written += (size_t)sent;
		direction->octets += (size_t)sent;
	}
	direction->written = 0;
	buffer_free(passed);
	return STEP_DONE;
}

static void give_pipe_back(struct direction *direction)
{
	if (direction->pipe)
		pipes_give(direction->pipe);
	direction->pipe = NULL;
}

static enum step write_pipe(struct direction *direction)
{
	while (direction->in_pipe) {
		ssize_t moved = splice(direction->pipe->read, NULL, direction->to, NULL,
				       direction->in_pipe, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (moved <= 0)
			return moved < 0 ? step_of_errno() : STEP_BROKEN;
		direction->in_pipe -= (size_t)moved;
		direction->octets += (size_t)moved;
	}
	return STEP_DONE;
}

/* Copies some octets, to be inspected, or because there is no pipe to be had. */
static enum step read_copy(struct direction *direction)
{
	struct buffer *into = direction->inspect ? &direction->held : &direction->passed;
	ssize_t length = recv(direction->from, buffer_reserve(into, COPY_SIZE), COPY_SIZE, 0);

	if (length < 0) {
		int errnum = errno;

		if (!into->length)
			buffer_free(into);
		errno = errnum;
		return step_of_errno();
	}
	direction->ended = length == 0;
	into->length += (size_t)length;
	if (direction->inspect && length && !direction->inspect(direction->context, direction))
		return STEP_BROKEN;
	if (!into->length)
		buffer_free(into);
	return length > 0 && length < COPY_SIZE ? STEP_LAST : STEP_DONE;
}

static enum step read_unseen(struct direction *direction)
{
	ssize_t moved;

	if (!direction->pipe)
		direction->pipe = pipes_take();
	if (!direction->pipe)
		return read_copy(direction);
	moved = splice(direction->from, NULL, direction->pipe->write, NULL, SPLICE_SIZE,
		       SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (moved < 0)
		return step_of_errno();
	direction->ended = moved == 0;
	direction->in_pipe += (size_t)moved;
	return moved > 0 && moved < SPLICE_MANY ? STEP_LAST : STEP_DONE;
}

static enum direction_wait end(struct direction *direction)
{
	give_pipe_back(direction);
	/* What is still held was never judged, and does not go out. */
	if (!direction->shut && shutdown(direction->to, SHUT_WR))
		return DIRECTION_BROKEN;
	direction->shut = true;
	return DIRECTION_OVER;
}

enum direction_wait direction_pump(struct direction *direction)
{
	/* Who waited for room, or has just begun, is told by an event that there is more. */
	bool last = direction->passed.length > 0;

	for (int round = 0;; round++) {
		enum step step = write_passed(direction);

		if (step == STEP_DONE)
			step = write_pipe(direction);
		if (step != STEP_DONE)
			return step == STEP_WAIT ? DIRECTION_WRITE : DIRECTION_BROKEN;
		if (direction->ended)
			return end(direction);
		if (last || round == TURN_ROUNDS)
			break;
		step = direction->inspect ? read_copy(direction) : read_unseen(direction);
		if (step == STEP_BROKEN)
			return DIRECTION_BROKEN;
		if (step == STEP_WAIT)
			break;
		last = step == STEP_LAST;
	}
	give_pipe_back(direction);
	return DIRECTION_READ;
}

void direction_free(struct direction *direction)
{
	if (direction->pipe && direction->in_pipe)
		pipes_discard(direction->pipe);
	else
		give_pipe_back(direction);
	buffer_free(&direction->passed);
	buffer_free(&direction->held);
}
