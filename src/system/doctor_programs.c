/* doctor_programs.c: programs by which the user becomes somebody else, or gets a capability. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/mounts.h"

#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>

/*
 * Looked for where programs stand, then in every file system that is mounted, within bounds of time
 * and number: where a bound is met and nothing was found, the answer is "unknown".
 */
enum { ENTRIES_MAX = 2000000, PROGRAMS_MAX = 4096 };

static const char *const places[] = { "/usr", "/bin",  "/sbin", "/lib", "/opt",
				      "/srv", "/home", "/tmp",  "/var" };

struct program {
	char *path;
	uid_t owner;
	bool setuid; /* else it has file capabilities */
	int errnum;  /* 0: the user may execute it */
};

struct doctor_programs {
	struct program *items;
	size_t count, seen;
	struct timespec deadline;
	bool bounded; /* it was not looked to the end */
	bool asked;
	struct err err;
};

static bool is_late(const struct timespec *deadline)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > deadline->tv_sec ||
	       (now.tv_sec == deadline->tv_sec && now.tv_nsec > deadline->tv_nsec);
}

static void consider(struct doctor_programs *programs, const char *path, const struct stat *status)
{
	bool setuid = status->st_mode & S_ISUID;

	if (!(status->st_mode & 0111) ||
	    (!setuid && lgetxattr(path, "security.capability", NULL, 0) <= 0))
		return;
	for (size_t i = 0; i < programs->count; i++)
		if (!strcmp(programs->items[i].path, path))
			return;
	if (programs->count == PROGRAMS_MAX) {
		programs->bounded = true;
		return;
	}
	programs->items =
		memory_resize(programs->items, programs->count + 1, sizeof(*programs->items));
	programs->items[programs->count++] = (struct program){
		.path = memory_copy_string(path),
		.owner = status->st_uid,
		.setuid = setuid,
	};
}

/* Nobody but root can go on from a directory that only root may search. */
static bool is_closed(const struct stat *status)
{
	return !status->st_uid && !(status->st_mode & 0011);
}

static void walk(struct doctor_programs *programs, const char *root)
{
	autofree char *copy = memory_copy_string(root);
	char *const roots[] = { copy, NULL };
	struct statvfs system;
	FTS *tree;
	const FTSENT *entry;

	if (statvfs(root, &system) || system.f_flag & ST_NOSUID)
		return;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	while (tree && !programs->bounded && (entry = fts_read(tree))) {
		if (++programs->seen > ENTRIES_MAX ||
		    (!(programs->seen & 1023) && is_late(&programs->deadline)))
			programs->bounded = true;
		if (entry->fts_info == FTS_D && is_closed(entry->fts_statp))
			fts_set(tree, (FTSENT *)entry, FTS_SKIP);
		if (entry->fts_info == FTS_F)
			consider(programs, entry->fts_path, entry->fts_statp);
	}
	if (tree)
		fts_close(tree);
}

static bool is_place(const char *point)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strcmp(point, places[i]))
			return true;
	return !strcmp(point, "/");
}

static void walk_mounts(struct doctor_programs *programs)
{
	struct buffer text = { 0 };
	struct mount mount;
	struct cursor cursor;
	bool present;

	if (!doctor_read("/proc/self/mountinfo", &text, &present, &programs->err))
		return;
	cursor = cursor_over(text.data, text.length);
	while (mount_next(&cursor, &mount)) {
		if (!mount_is_kernels(&mount) && !mount_is_remote(&mount) && !is_place(mount.point))
			walk(programs, mount.point);
		mount_free(&mount);
	}
	buffer_free(&text);
}

struct doctor_programs *doctor_programs_find(const struct doctor *doctor)
{
	struct doctor_programs *programs = memory_allocate(1, sizeof(*programs));

	clock_gettime(CLOCK_MONOTONIC, &programs->deadline);
	programs->deadline.tv_sec += doctor->timeout_ms / 1000;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		walk(programs, places[i]);
	walk_mounts(programs);
	return programs;
}

void doctor_programs_ask(const struct doctor *doctor, struct doctor_programs *programs)
{
	autofree struct may_question *questions =
		memory_allocate(programs->count, sizeof(*questions));
	autofree int *answers = memory_allocate(programs->count, sizeof(*answers));

	for (size_t i = 0; i < programs->count; i++)
		questions[i] = (struct may_question){ MAY_EXECUTE, programs->items[i].path };
	programs->asked = subject_may(doctor->subject, questions, programs->count,
				      doctor->timeout_ms, answers, &programs->err);
	for (size_t i = 0; programs->asked && i < programs->count; i++)
		programs->items[i].errnum = answers[i];
}

void doctor_programs_free(struct doctor_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->count; i++)
		free(programs->items[i].path);
	free(programs->items);
	free(programs);
}

static void judge(const struct doctor *doctor, bool setuid, const char *what, const char *danger,
		  struct check_result *ret)
{
	const struct doctor_programs *programs = doctor->programs;
	struct buffer list = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < programs->count; i++) {
		const struct program *program = &programs->items[i];

		if (program->setuid == setuid && !program->errnum &&
		    !(setuid && program->owner == doctor->subject->uid))
			doctor_list(&list, &count, program->path);
	}
	doctor_list_end(&list, count);
	if (doctor->has_self && doctor->self.no_new_privs == 1)
		check_pass(ret, "no_new_privs is set here, so that %s give nothing (%zu there)",
			   what, count);
	else if (!programs->asked)
		check_unknown(ret, "run doctor as root", "%s", programs->err.text);
	else if (count)
		check_warn(ret,
			   "start the user's program by run, or with no_new_privs: then they give "
			   "nothing",
			   "the user may execute %zu %s, %s: %s", count, what, danger,
			   buffer_string(&list));
	else if (programs->bounded)
		check_unknown(ret, "say a longer --timeout",
			      "none among the %zu files that were looked at in time",
			      programs->seen);
	else
		check_pass(ret, "the user may execute no %s", what);
	buffer_free(&list);
}

void doctor_setuid_programs(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, true, "setuid programs", "whose sockets belong to somebody else", ret);
}

void doctor_file_capabilities(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, false, "programs with file capabilities", "which can lead out", ret);
}
