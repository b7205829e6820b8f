/* log_files.c: the older files of the decision log: PATH.1, the youngest, PATH.2, ... */
#include "filter/log_files.h"

#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Number 0 is the log itself. */
static char *path_of(const char *path, unsigned number)
{
	return number ? memory_format("%s.%u", path, number) : memory_copy_string(path);
}

static bool is_there(const char *path, unsigned number)
{
	autofree char *file = path_of(path, number);
	struct stat status;

	return !lstat(file, &status) || errno != ENOENT;
}

static unsigned count_before_gap(const char *path, unsigned files)
{
	unsigned count = 0;

	while (count < files && is_there(path, count + 1))
		count++;
	return count;
}

bool log_files_are_full(const char *path, unsigned files)
{
	return count_before_gap(path, files) == files;
}

static bool move_up(const char *path, unsigned number)
{
	autofree char *from = path_of(path, number), *to = path_of(path, number + 1);

	return !rename(from, to);
}

bool log_files_put_aside(const char *path, unsigned files)
{
	unsigned number = count_before_gap(path, files);

	/* From the oldest on: whatever fails, each of those that are left has a name. */
	for (number = number == files ? files - 1 : number; number; number--)
		if (!move_up(path, number))
			return false;
	return move_up(path, 0);
}

void log_files_put_back(const char *path)
{
	autofree char *aside = path_of(path, 1);

	/* It was just renamed the other way. */
	if (rename(aside, path))
		errno = 0;
}
