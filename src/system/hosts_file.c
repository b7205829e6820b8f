/* hosts_file.c: the hosts file, written in place so that no kill at any byte loses a foreign line.
 */
#include "system/hosts_file.h"

#include "base/memory.h"
#include "system/descriptor.h"
#include "system/hosts_open.h"
#include "system/hosts_rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HOSTS_FILE_MAX = 16 * 1024 * 1024,
	TORN_FILE_MAX = 4 * HOSTS_FILE_MAX, /* old tail, notes, copy, and what was appended since */
	RECOVERIES_MAX = 8,
};
_Static_assert((int)TORN_FILE_MAX <= (int)HOSTS_TEXT_MAX, "what is read can be worked on");

#define autobuffer __attribute__((cleanup(buffer_free)))

bool hosts_file_check(const char *path, struct err *err)
{
	autohosts struct hosts_file file = { .descriptor = -1 };
	autofree char *copy = memory_copy_string(path);
	struct stat status;

	if (!hosts_file_open(path, &file, err))
		return false;
	if (file.descriptor < 0) {
		const char *directory = dirname(copy);

		if (!faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS))
			return true;
		err_set_errno(
			err, errno,
			"%s: is not there and cannot be made in %s (--no-hosts goes without it)",
			path, directory);
		return false;
	}
	if (fstat(file.descriptor, &status)) {
		err_set_errno(err, errno, "%s: cannot be examined", path);
		return false;
	}
	if (status.st_size > TORN_FILE_MAX) {
		err_set(err, "%s: is larger than %d bytes", path, TORN_FILE_MAX);
		return false;
	}
	return hosts_file_require_writable(&file, err);
}

static bool read_text(const struct hosts_file *file, struct buffer *ret, struct err *err)
{
	if (file->descriptor < 0) {
		*ret = (struct buffer){ 0 };
		return true;
	}
	if (lseek(file->descriptor, 0, SEEK_SET)) {
		err_set_errno(err, errno, "%s: cannot be read", file->path);
		return false;
	}
	return descriptor_read(file->descriptor, file->path, TORN_FILE_MAX, ret, err);
}

static bool cut(const struct hosts_file *file, const struct hosts_write *write, struct err *err)
{
	struct stat status;

	if (fstat(file->descriptor, &status)) {
		err_set_errno(err, errno, "%s: cannot be examined", file->path);
		return false;
	}
	if (status.st_size != (off_t)write->expected) {
		err_set(err, "%s: somebody else is writing to it; the next run repairs it",
			file->path);
		return false;
	}
	if (ftruncate(file->descriptor, (off_t)write->offset)) {
		err_set_errno(err, errno, "%s: cannot be cut to %zu bytes", file->path,
			      write->offset);
		return false;
	}
	return true;
}

static bool execute_one(const struct hosts_file *file, const struct hosts_write *write,
			struct err *err)
{
	bool good = true;

	switch (write->kind) {
	case HOSTS_APPEND:
	case HOSTS_WRITE:
		good = descriptor_write_at(file->descriptor, file->path, write->bytes.data,
					   write->bytes.length, (off_t)write->offset, err);
		/* A full disk, say. Nothing that stood has been touched. */
		if (!good && write->kind == HOSTS_APPEND &&
		    ftruncate(file->descriptor, (off_t)write->offset))
			err_wrap(err, "%s: the next run must repair it", file->path);
		break;
	case HOSTS_SYNC:
		good = !fsync(file->descriptor);
		if (!good)
			err_set_errno(err, errno, "%s: cannot be written", file->path);
		break;
	case HOSTS_CUT:
		good = cut(file, write, err);
		break;
	}
	return good;
}

static bool execute(const struct hosts_file *file, const struct hosts_writes *writes,
		    struct err *err)
{
	for (size_t i = 0; i < writes->count; i++)
		if (!execute_one(file, &writes->items[i], err))
			return false;
	return true;
}

/* Reads the file, and recovers until no rewrite is under way in it. */
static bool read_recovered(const struct hosts_file *file, struct buffer *ret, bool *ret_repaired,
			   struct err *err)
{
	bool repaired = false;

	for (int i = 0; i < RECOVERIES_MAX; i++) {
		struct hosts_writes writes;
		struct buffer text;
		bool good;

		if (!read_text(file, &text, err))
			return false;
		if (!hosts_rewrite_recover(&text, &writes)) {
			*ret = text;
			*ret_repaired = repaired;
			return true;
		}
		buffer_free(&text);
		good = hosts_file_require_writable(file, err) && execute(file, &writes, err);
		hosts_writes_free(&writes);
		if (!good)
			return false;
		repaired = true;
	}
	err_set(err, "%s: holds a torn write that cannot be repaired", file->path);
	return false;
}

bool hosts_file_repair(const char *path, bool *ret_repaired, struct err *err)
{
	autohosts struct hosts_file file = { .descriptor = -1 };
	autobuffer struct buffer text = { 0 };

	return hosts_file_open(path, &file, err) && read_recovered(&file, &text, ret_repaired, err);
}

/* The text that is to be. `text` is taken as it stands, `written` from the state. */
static bool new_text(const struct hosts_file *file, const struct buffer *text,
		     const struct hosts_block *block, const char *instance, struct state *state,
		     struct buffer *ret, struct err *err)
{
	autobuffer struct buffer written = { 0 }, ours = { 0 };
	const char *bytes = text->data ? (const char *)text->data : "";
	const char *known = NULL;
	bool present = false;

	if (state && !state_read(state, STATE_HOSTS, &written, &present, err))
		return false;
	if (present && written.length && !memchr(written.data, '\0', written.length))
		known = buffer_string(&written);
	if (!hosts_text_update(bytes, text->length, block, instance, known, ret, err)) {
		err_wrap(err, "%s", file->path);
		return false;
	}
	if (text->length > HOSTS_FILE_MAX || ret->length > HOSTS_FILE_MAX) {
		err_set(err, "%s: is or would become larger than %d bytes", file->path,
			HOSTS_FILE_MAX);
		return false;
	}
	/* A foreign line may be broken already or be put back broken, but none of ours is. */
	hosts_text_extract((const char *)ret->data, ret->length, instance, &ours);
	if (hosts_text_parses(bytes, text->length) &&
	    !hosts_text_parses((const char *)ours.data, ours.length)) {
		err_set(err, "%s: the new text would have a line that is none of hosts(5)",
			file->path);
		return false;
	}
	return true;
}

static bool replace(struct hosts_file *file, const struct buffer *from, const struct buffer *to,
		    struct err *err)
{
	autobuffer struct buffer found = { 0 };
	struct hosts_writes writes;
	bool good;

	if (!hosts_file_require_writable(file, err) ||
	    (file->descriptor < 0 && !hosts_file_make(file, err)))
		return false;
	hosts_rewrite(from, to, &writes);
	good = execute(file, &writes, err) && read_text(file, &found, err);
	hosts_writes_free(&writes);
	if (good && (found.length != to->length ||
		     (to->length && memcmp(found.data, to->data, to->length)))) {
		err_set(err, "%s: what was read back is not what was written", file->path);
		good = false;
	}
	return good;
}

/* After the file, so that what the state remembers was really written. */
static bool remember(const struct buffer *text, const char *instance, struct state *state,
		     struct err *err)
{
	autobuffer struct buffer ours = { 0 };

	if (!state)
		return true;
	hosts_text_extract((const char *)text->data, text->length, instance, &ours);
	return ours.length ? state_write(state, STATE_HOSTS, ours.data, ours.length, err)
			   : state_delete(state, STATE_HOSTS, err);
}

bool hosts_file_update(const char *path, const struct hosts_block *block, const char *instance,
		       struct state *state, bool *ret_changed, struct err *err)
{
	autohosts struct hosts_file file = { .descriptor = -1 };
	autobuffer struct buffer from = { 0 }, to = { 0 };
	bool repaired, changed;

	if (!hosts_file_open(path, &file, err) || !read_recovered(&file, &from, &repaired, err) ||
	    !new_text(&file, &from, block, instance, state, &to, err))
		return false;
	changed = from.length != to.length || (to.length && memcmp(from.data, to.data, to.length));
	if (changed && !replace(&file, &from, &to, err))
		return false;
	if (!remember(&to, instance, state, err))
		return false;
	*ret_changed = changed || repaired;
	return true;
}

bool hosts_file_compare(const char *path, const struct hosts_block *block, const char *instance,
			struct findings *findings, struct err *err)
{
	autohosts struct hosts_file file = { .descriptor = -1 };
	autobuffer struct buffer text = { 0 };

	if (!hosts_file_open(path, &file, err) || !read_text(&file, &text, err))
		return false;
	hosts_text_compare(text.data ? (const char *)text.data : "", text.length, block, instance,
			   findings);
	return true;
}
