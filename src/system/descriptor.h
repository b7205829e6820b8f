/* descriptor.h: whole files through a descriptor, within a limit; one that leads nowhere; directories. */
#ifndef EGRESSFW_SYSTEM_DESCRIPTOR_H
#define EGRESSFW_SYSTEM_DESCRIPTOR_H

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Closes a descriptor that is not -1: __attribute__((cleanup(descriptor_close))). Keeps errno. */
void descriptor_close(int *descriptor);
#define autoclose __attribute__((cleanup(descriptor_close)))

/*
 * One that gives nothing to read: /dev/null, or, in a root without devices, the end of a pipe whose
 * other end is closed (what is written to that fails). -1 with errno. `flags`: O_CLOEXEC or 0.
 */
int descriptor_open_nowhere(int flags);

/* Reads from where the descriptor stands to the end; `name` is for messages. */
bool descriptor_read(int descriptor, const char *name, size_t limit, struct buffer *ret,
		     struct err *err);

/*
 * Reads a regular file from its beginning. *ret_present false: there is no such file. A path may be
 * a link; what it leads to must be a regular file.
 */
bool descriptor_read_file(const char *path, size_t limit, struct buffer *ret, bool *ret_present,
			  struct err *err);

/* Writes all bytes at the offset, whatever the descriptor's position. */
bool descriptor_write_at(int descriptor, const char *name, const void *bytes, size_t length,
			 off_t offset, struct err *err);

/*
 * The directories above a path, as far as they are not there; for everybody to enter. False with
 * errno.
 */
bool directory_make_parents(const char *path);

#endif
