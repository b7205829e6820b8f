/* hosts_open.c: the hosts file as a descriptor, however it may be opened. */
#include "system/hosts_open.h"

#include "system/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void hosts_file_close(struct hosts_file *file)
{
	descriptor_close(&file->descriptor);
}

bool hosts_file_open(const char *path, struct hosts_file *ret, struct err *err)
{
	/* O_NONBLOCK: the open of a fifo must not wait. */
	static const int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct hosts_file file = { .path = path };
	struct stat status;

	file.descriptor = open(path, O_RDWR | flags);
	if (file.descriptor < 0 && errno != ENOENT) {
		file.write_errno = errno;
		file.descriptor = open(path, O_RDONLY | flags);
		if (file.descriptor < 0) {
			err_set_errno(err, errno, "%s: cannot be opened", path);
			return false;
		}
	}
	if (file.descriptor < 0 && !lstat(path, &status)) {
		err_set(err, "%s: is a link to a file that does not exist", path);
		return false;
	}
	if (file.descriptor >= 0 && (fstat(file.descriptor, &status) || !S_ISREG(status.st_mode))) {
		err_set(err, "%s: is not a regular file", path);
		hosts_file_close(&file);
		return false;
	}
	*ret = file;
	return true;
}

bool hosts_file_require_writable(const struct hosts_file *file, struct err *err)
{
	if (file->write_errno)
		err_set_errno(err, file->write_errno,
			      "%s: cannot be written (--no-hosts goes without it)", file->path);
	return !file->write_errno;
}

bool hosts_file_make(struct hosts_file *file, struct err *err)
{
	file->descriptor = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	/* Whatever the umask: everybody must be able to look names up. */
	if (file->descriptor < 0 || fchmod(file->descriptor, 0644)) {
		err_set_errno(err, errno, "%s: is not there and cannot be made", file->path);
		return false;
	}
	return true;
}
