/* log_set.c: the files of decision logs that are to be summed up, opened. */
#include "cmd/log_set.h"

#include "base/memory.h"
#include "base/text.h"
#include "plan/filter_plan.h"
#include "system/descriptor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What is found, and not named by whoever asks, may be anything that the filter's user put there.
 */
enum { FOUND = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

static void add(struct log_set *set, const char *path, int descriptor)
{
	set->items = memory_resize(set->items, set->count + 1, sizeof(*set->items));
	set->items[set->count++] = (struct log_file){ memory_copy_string(path), descriptor };
}

static bool add_found(struct log_set *set, const char *path, struct err *err)
{
	int descriptor = open(path, FOUND);
	struct stat status;

	if (descriptor < 0) {
		err_set_errno(err, errno, "%s: cannot be opened", path);
		return false;
	}
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode)) {
		err_set(err, "%s: is no regular file", path);
		close(descriptor);
		return false;
	}
	add(set, path, descriptor);
	return true;
}

/* NAME.log, NAME.log.1, ... */
static bool is_log(const char *name)
{
	size_t length = strlen(name), digits = 0;
	static const char suffix[] = ".log";

	while (digits < length && text_is_digit(name[length - 1 - digits]))
		digits++;
	if (digits && (digits == length || name[length - 1 - digits] != '.'))
		return false;
	length -= digits ? digits + 1 : 0;
	return length >= sizeof(suffix) - 1 &&
	       !memcmp(name + length - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1);
}

static int takes(const struct dirent *entry)
{
	return is_log(entry->d_name);
}

static bool add_directory(struct log_set *set, const char *path, struct err *err)
{
	struct dirent **entries;
	int count = scandir(path, &entries, takes, alphasort);
	bool good = true;

	if (count <= 0) {
		if (count < 0)
			err_set_errno(err, errno, "%s: cannot be read", path);
		else
			err_set(err, "%s: has no file NAME.log", path);
		return false;
	}
	for (int i = 0; i < count; i++) {
		autofree char *file = memory_format("%s/%s", path, entries[i]->d_name);

		good = good && add_found(set, file, err);
		free(entries[i]);
	}
	free(entries);
	return good;
}

bool log_set_add(struct log_set *set, const char *path, struct err *err)
{
	int descriptor = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
					   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	struct stat status;

	if (!*path) {
		err_set(err, "the name of a file is empty");
		return false;
	}
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s: cannot be opened", path);
		return false;
	}
	if (!fstat(descriptor, &status) && S_ISDIR(status.st_mode)) {
		close(descriptor);
		return add_directory(set, path, err);
	}
	add(set, path, descriptor);
	return true;
}

bool log_set_add_whole(struct log_set *set, const char *path, struct err *err)
{
	struct stat status;

	for (unsigned number = FILTER_LOG_FILES_MAX; number; number--) {
		autofree char *older = memory_format("%s.%u", path, number);

		if (lstat(older, &status) && errno == ENOENT)
			continue;
		if (!add_found(set, older, err))
			return false;
	}
	return add_found(set, path, err);
}

void log_set_free(struct log_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		descriptor_close(&set->items[i].descriptor);
		free(set->items[i].path);
	}
	free(set->items);
}
