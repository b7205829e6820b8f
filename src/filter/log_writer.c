/* log_writer.c: lines at the end of an open file, with room claimed ahead of them. */
#include "filter/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Theory of operation. Room for lines is claimed ahead of them, beyond the end of the file, so that
 * a request is refused before it is begun and not when its line finds no room. Where the file
 * system cannot do that the first line that fails says so for those behind it. What was claimed is
 * given back at the end. Others may cut the file meanwhile: where its end is, is asked before
 * anything is cut off behind it, or else that would be filled up with zeros.
 */
enum {
	CLAIM = 1024 * 1024,     /* claimed at once, where there is that much */
	CLAIM_LEAST = 64 * 1024, /* some lines; more is claimed when less is left */
};

static bool is_torn(int descriptor, off_t size)
{
	char last = '\n';

	return size > 0 && (pread(descriptor, &last, 1, size - 1) != 1 || last != '\n');
}

void log_writer_begin(struct log_writer *writer, int descriptor)
{
	struct stat file = { .st_size = 0 };

	/* It does not fail here; a file that is not known is at no path. */
	if (fstat(descriptor, &file))
		errno = 0;
	*writer = (struct log_writer){
		.descriptor = descriptor,
		.device = file.st_dev,
		.inode = file.st_ino,
		.size = (uint64_t)file.st_size,
		.torn = is_torn(descriptor, file.st_size),
	};
}

/* False: what is behind the last `octets` of the file, and they, could not be cut off. */
static bool cut(const struct log_writer *writer, off_t octets)
{
	struct stat file;

	return !fstat(writer->descriptor, &file) && file.st_size >= octets &&
	       !ftruncate(writer->descriptor, file.st_size - octets);
}

void log_writer_finish(const struct log_writer *writer)
{
	/* Failing, it only takes room. */
	if (writer->claimed != UINT64_MAX && writer->claimed > writer->size && !cut(writer, 0))
		errno = 0;
	close(writer->descriptor);
}

static void take_size(struct log_writer *writer, uint64_t size)
{
	if (size == writer->size)
		return;
	writer->size = size;
	writer->torn = is_torn(writer->descriptor, (off_t)size);
	if (writer->claimed != UINT64_MAX)
		writer->claimed = size;
}

bool log_writer_is_at(struct log_writer *writer, const char *path)
{
	struct stat named;

	if (lstat(path, &named) || named.st_ino != writer->inode || named.st_dev != writer->device)
		return false;
	take_size(writer, (uint64_t)named.st_size);
	return true;
}

bool log_writer_claim(struct log_writer *writer)
{
	if (writer->claimed == UINT64_MAX || writer->size + CLAIM_LEAST <= writer->claimed)
		return true;
	for (off_t more = CLAIM; more >= CLAIM_LEAST; more /= 2)
		if (!fallocate(writer->descriptor, FALLOC_FL_KEEP_SIZE, (off_t)writer->size,
			       more)) {
			writer->claimed = writer->size + (uint64_t)more;
			return true;
		}
	if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO)
		return false;
	writer->claimed = UINT64_MAX;
	return true;
}

/* A part of a line is taken back, or else closed off by the next one. */
bool log_writer_append(struct log_writer *writer, const struct buffer *line)
{
	static char end[] = "\n";
	const struct iovec parts[] = { { end, writer->torn ? 1 : 0 },
				       { line->data, line->length } };
	size_t length = parts[0].iov_len + line->length;
	ssize_t written;
	int errnum;

	do
		written = writev(writer->descriptor, parts, 2);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)length) {
		writer->size += length;
		writer->torn = false;
		return true;
	}
	/* Of a part of it: there was no room for the rest. */
	errnum = written < 0 ? errno : ENOSPC;
	if (written > 0 && !cut(writer, (off_t)written)) {
		writer->size += (uint64_t)written;
		writer->torn = true;
	} else if (written > 0 && writer->claimed != UINT64_MAX) {
		writer->claimed = writer->size;
	}
	errno = errnum;
	return false;
}
