/* doctor_names.c: the files by which names become addresses: who writes them, what they say. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/name_services.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILES_MAX = 4 };

/* The file itself, or the one that it is a link to, and the directory of each. */
struct name_file {
	char *path, *directory, *real, *real_directory;
};

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return memory_copy_string(".");
	return memory_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static void read_file(const char *path, struct name_file *ret)
{
	char *real = realpath(path, NULL);

	*ret = (struct name_file){
		.path = memory_copy_string(path),
		.directory = directory_of(path),
		.real = real ? real : memory_copy_string(path),
	};
	ret->real_directory = directory_of(ret->real);
}

/* In a directory with the sticky bit nobody replaces what belongs to others. */
static bool is_sticky(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode) && status.st_mode & S_ISVTX;
}

static bool is_owner(const char *path, uid_t uid)
{
	struct stat status;

	return !stat(path, &status) && status.st_uid == uid;
}

void doctor_name_files(const struct doctor *doctor, struct check_result *ret)
{
	const char *const paths[FILES_MAX] = { doctor->hosts_file, "/etc/resolv.conf",
					       "/etc/nsswitch.conf", "/etc/host.conf" };
	struct name_file files[FILES_MAX] = { 0 };
	struct may_question questions[3 * FILES_MAX];
	int answers[3 * FILES_MAX];
	size_t asked = 0, count = 0;
	struct buffer list = { 0 };
	struct err err;

	for (size_t i = 0; i < FILES_MAX; i++) {
		if (!paths[i])
			continue;
		read_file(paths[i], &files[i]);
		questions[asked++] = (struct may_question){ MAY_WRITE, files[i].path };
		questions[asked++] = (struct may_question){ MAY_REPLACE, files[i].directory };
		questions[asked++] = (struct may_question){ MAY_REPLACE, files[i].real_directory };
	}
	if (!subject_may(doctor->subject, questions, asked, doctor->timeout_ms, answers, &err)) {
		check_unknown(ret, "run doctor as root", "%s", err.text);
	} else {
		for (size_t i = 0; i < asked; i++) {
			bool own = is_owner(questions[i].path, doctor->subject->uid);
			bool repeated = false;

			for (size_t j = 0; j < i; j++)
				repeated =
					repeated || !strcmp(questions[i].path, questions[j].path);
			if (((!answers[i] && !is_sticky(questions[i].path)) || own) && !repeated)
				doctor_list(&list, &count, questions[i].path);
		}
		doctor_list_end(&list, count);
		if (count)
			check_fail(
				ret, "let them belong to root, and be written by root alone",
				"the user may change which addresses names have, for everybody: %s",
				buffer_string(&list));
		else
			check_pass(ret,
				   "the user may not write the files by which names are found");
	}
	for (size_t i = 0; i < FILES_MAX; i++) {
		free(files[i].path);
		free(files[i].directory);
		free(files[i].real);
		free(files[i].real_directory);
	}
	buffer_free(&list);
}

void doctor_nsswitch(const struct doctor *doctor, struct check_result *ret)
{
	static const char path[] = "/etc/nsswitch.conf";
	struct buffer text = { 0 };
	struct err err;
	bool present;

	if (!doctor->hosts_file) {
		check_pass(ret, "the hosts file is not used");
		return;
	}
	if (!doctor_read(path, &text, &present, &err)) {
		check_unknown(ret, "run doctor as root", "%s", err.text);
		return;
	}
	switch (present ? hosts_order(text.data, text.length) : HOSTS_NO_LINE) {
	case HOSTS_FILES_FIRST:
		check_pass(ret, "%s: host names are looked up in the hosts file first", path);
		break;
	case HOSTS_NO_LINE:
		check_pass(ret,
			   "%s says nothing of host names: the C library begins with the hosts "
			   "file",
			   path);
		break;
	case HOSTS_FILES_LATER:
		check_warn(ret, "put files first in the line hosts:",
			   "%s: another service is asked before the hosts file", path);
		break;
	case HOSTS_FILES_NEVER:
		check_fail(ret, "put files first in the line hosts:",
			   "%s: the hosts file is not read, so that pinned names are not found",
			   path);
		break;
	}
	buffer_free(&text);
}
