/* descriptor.c: whole files through a descriptor, within a limit; one that leads nowhere; directories. */
#include "system/descriptor.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_LEAST = 4096 };

void descriptor_close(int *descriptor)
{
	int saved = errno;

	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
	errno = saved;
}

int descriptor_open_nowhere(int flags)
{
	int nowhere = open("/dev/null", O_RDWR | flags), ends[2];

	if (nowhere >= 0 || errno != ENOENT || pipe2(ends, flags))
		return nowhere;
	close(ends[1]);
	return ends[0];
}

bool descriptor_read(int descriptor, const char *name, size_t limit, struct buffer *ret,
		     struct err *err)
{
	struct buffer bytes = { 0 };

	for (;;) {
		/* Most files are small, and room that is made is copied when it grows. */
		size_t room = bytes.length < READ_LEAST ? READ_LEAST : bytes.length;
		ssize_t got = read(descriptor, buffer_reserve(&bytes, room), room);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_set_errno(err, errno, "%s: cannot be read", name);
			break;
		}
		if (got == 0) {
			*ret = bytes;
			return true;
		}
		bytes.length += (size_t)got;
		if (bytes.length > limit) {
			err_set(err, "%s: is larger than %zu bytes, the most that is read", name,
				limit);
			break;
		}
	}
	buffer_free(&bytes);
	return false;
}

bool descriptor_read_file(const char *path, size_t limit, struct buffer *ret, bool *ret_present,
			  struct err *err)
{
	/* Without O_NONBLOCK the open of a fifo would wait for a writer. */
	autoclose int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (descriptor < 0 && errno == ENOENT) {
		*ret_present = false;
		*ret = (struct buffer){ 0 };
		return true;
	}
	if (descriptor < 0 || fstat(descriptor, &status)) {
		err_set_errno(err, errno, "%s: cannot be opened for reading", path);
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		err_set(err, "%s: is not a regular file", path);
		return false;
	}
	if (!descriptor_read(descriptor, path, limit, ret, err))
		return false;
	*ret_present = true;
	return true;
}

bool descriptor_write_at(int descriptor, const char *name, const void *bytes, size_t length,
			 off_t offset, struct err *err)
{
	const char *from = bytes;
	size_t done = 0;

	while (done < length) {
		ssize_t put = pwrite(descriptor, from + done, length - done, offset + (off_t)done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			err_set_errno(err, put ? errno : ENOSPC, "%s: cannot be written", name);
			return false;
		}
		done += (size_t)put;
	}
	return true;
}

bool directory_make_parents(const char *path)
{
	enum { MODE = 0755 };
	autofree char *parent = memory_copy_string(path);

	for (char *slash = *parent ? strchr(parent + 1, '/') : NULL; slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(parent, MODE) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}
