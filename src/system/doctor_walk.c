/* doctor_walk.c: sockets among files, looked for so that nobody hides them behind many others. */
#include "system/doctor_walk.h"

#include "base/memory.h"
#include "system/doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Every level has a descriptor open. */
enum { DEPTH_MAX = 16 };

struct branch {
	char *path;
	bool last;
};

struct search {
	struct doctor_walk *walk;
	struct timespec deadline;
	struct branch *branches;
	size_t count;
	struct buffer path; /* of the directory that is being read */
	size_t seen;        /* of this branch */
	bool late;
};

static bool is_late(struct search *search)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	search->late =
		now.tv_sec > search->deadline.tv_sec ||
		(now.tv_sec == search->deadline.tv_sec && now.tv_nsec > search->deadline.tv_nsec);
	return search->late;
}

/* One more entry; false: it is one too many. */
static bool count_entry(struct search *search)
{
	if (search->seen >= search->walk->branch_max || search->late)
		return false;
	return ++search->seen & 1023 || !is_late(search);
}

static DIR *open_directory(int parent, const char *name)
{
	int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = descriptor >= 0 ? fdopendir(descriptor) : NULL;

	if (!directory && descriptor >= 0)
		close(descriptor);
	return directory;
}

/* Not every file system tells the kind with the name (readdir(3)). */
static unsigned char kind_of(DIR *directory, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type;
	return fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW)
		       ? DT_UNKNOWN
		       : (unsigned char)IFTODT(status.st_mode);
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* The path is that of the entry until it is given back its length. */
static size_t enter(struct search *search, const char *name)
{
	size_t length = search->path.length;

	buffer_printf(&search->path, "/%s", name);
	return length;
}

static void take(struct search *search)
{
	search->walk->take(search->walk->context, buffer_string(&search->path));
}

static void add_branch(struct search *search, DIR *directory, const char *name)
{
	struct stat status;

	if (fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW))
		return;
	/* Room doubles at powers of two. */
	if ((search->count & (search->count - 1)) == 0)
		search->branches =
			memory_resize(search->branches, search->count ? search->count * 2 : 1,
				      sizeof(*search->branches));
	search->branches[search->count++] = (struct branch){
		.path = memory_copy_string(buffer_string(&search->path)),
		.last = status.st_uid == search->walk->last,
	};
}

/* Of a root the directories become branches. False: there is more than was looked at. */
static bool read_directory(struct search *search, DIR *directory, unsigned depth)
{
	const struct dirent *entry;
	bool whole = true;

	while (whole && (entry = readdir(directory))) {
		unsigned char kind;
		DIR *below = NULL;
		size_t length;

		if (is_dots(entry->d_name))
			continue;
		if (!count_entry(search))
			return false;
		kind = kind_of(directory, entry);
		if (kind != DT_SOCK && kind != DT_DIR)
			continue;
		length = enter(search, entry->d_name);
		if (kind == DT_SOCK)
			take(search);
		else if (!depth)
			add_branch(search, directory, entry->d_name);
		else if (depth < DEPTH_MAX)
			below = open_directory(dirfd(directory), entry->d_name);
		if (below) {
			whole = read_directory(search, below, depth + 1);
			closedir(below);
		}
		search->path.length = length;
	}
	return whole;
}

static void list_unseen(struct search *search, const char *path)
{
	autofree char *text = memory_format("%s the first %zu", path, search->seen);

	doctor_list(&search->walk->unseen, &search->walk->unseen_count, text);
}

static void read_from(struct search *search, const char *path, unsigned depth)
{
	DIR *directory = open_directory(AT_FDCWD, path);

	search->seen = 0;
	search->path.length = 0;
	buffer_append_text(&search->path, path);
	if (!directory)
		return;
	if (search->late || !read_directory(search, directory, depth))
		list_unseen(search, path);
	closedir(directory);
}

static void read_branches(struct search *search, bool last)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->branches[i].last == last)
			read_from(search, search->branches[i].path, 1);
}

void doctor_walk(struct doctor_walk *walk, const char *const *roots)
{
	struct search search = { .walk = walk };

	clock_gettime(CLOCK_MONOTONIC, &search.deadline);
	search.deadline.tv_sec += walk->timeout_ms / 1000;
	for (size_t i = 0; roots[i]; i++)
		read_from(&search, roots[i], 0);
	read_branches(&search, false);
	read_branches(&search, true);
	doctor_list_end(&walk->unseen, walk->unseen_count);
	for (size_t i = 0; i < search.count; i++)
		free(search.branches[i].path);
	free(search.branches);
	buffer_free(&search.path);
}
