/* doctor_sockets_find.c: UNIX sockets, found by path and by name, and who waits at each. */
#include "system/doctor_sockets.h"

#include "base/memory.h"
#include "doctor/channels.h"
#include "doctor/mounts.h"
#include "doctor/proc_net.h"
#include "system/doctor_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of files, in one directory at the top of those that are looked through. */
enum { SOCKETS_MAX = 4096, FILES_PER_SECOND = 50000 };

/* The file may be given to anybody: whose the service is says who opened its socket. */
static void name_opener(const struct doctor *doctor, struct found_socket *found)
{
	found->known =
		found->has_status &&
		unix_sockets_find(&doctor->waiting, found->status.st_dev, found->status.st_ino,
				  doctor->subject->uid, &found->opener);
}

/* The user may make any number of them, and nobody else is behind one. */
static bool is_users_own(const struct doctor *doctor, const struct found_socket *found)
{
	return found->check == CHECK_UNIX_SOCKETS && found->known &&
	       found->opener == doctor->subject->uid;
}

static void add_socket(struct doctor_sockets *sockets, const char *path)
{
	autofree char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	struct found_socket found = { .check = channel_of_path(name) };
	struct stat status;

	if (!stat(name, &status)) {
		if (!S_ISSOCK(status.st_mode))
			return;
		found.status = status;
		found.has_status = true;
	} else if (errno != EACCES) {
		return; /* of another mount namespace, or gone */
	}
	name_opener(sockets->doctor, &found);
	if (is_users_own(sockets->doctor, &found))
		return;
	for (size_t i = 0; i < sockets->count; i++)
		if (!strcmp(sockets->items[i].path, name))
			return;
	if (sockets->count == SOCKETS_MAX) {
		if (!sockets->first_more)
			sockets->first_more = memory_copy_string(name);
		return;
	}
	found.path = memory_copy_string(name);
	sockets->items = memory_resize(sockets->items, sockets->count + 1, sizeof(*sockets->items));
	sockets->items[sockets->count++] = found;
}

static void add_listening(struct doctor_sockets *sockets)
{
	struct buffer text = { 0 };
	struct unix_listener listener;
	struct cursor cursor;
	bool present = false;

	if (!doctor_read("/proc/self/net/unix", &text, &present, &sockets->err))
		return;
	if (!present)
		err_set(&sockets->err, "/proc/self/net/unix is not there");
	sockets->listed = present;
	cursor = cursor_over(text.data, text.length);
	while (unix_listener_next(&cursor, &listener)) {
		autofree char *path = word_copy(listener.path);
		autofree char *name = memory_format("@%s", path);

		if (listener.abstract)
			doctor_list(&sockets->abstract, &sockets->abstract_count, name);
		else if (*path == '/')
			add_socket(sockets, path);
	}
	buffer_free(&text);
}

static void add_mounted(struct doctor_sockets *sockets)
{
	struct buffer text = { 0 };
	struct mount mount;
	struct cursor cursor;
	struct err ignored;
	bool present;

	if (!doctor_read("/proc/self/mountinfo", &text, &present, &ignored))
		return;
	cursor = cursor_over(text.data, text.length);
	while (mount_next(&cursor, &mount)) {
		struct stat status;

		if (!mount_is_remote(&mount) && !stat(mount.point, &status) &&
		    S_ISSOCK(status.st_mode))
			add_socket(sockets, mount.point);
		mount_free(&mount);
	}
	buffer_free(&text);
}

static void take_file(void *context, const char *path)
{
	add_socket(context, path);
}

/* Where programs put their sockets. */
static void add_files(struct doctor_sockets *sockets)
{
	static const char *const roots[] = { "/run", "/tmp", "/var/tmp", NULL };
	const struct doctor *doctor = sockets->doctor;
	struct doctor_walk walk = {
		.last = doctor->subject->uid,
		.branch_max = (size_t)FILES_PER_SECOND * (doctor->timeout_ms / 1000),
		.timeout_ms = doctor->timeout_ms,
		.take = take_file,
		.context = sockets,
	};

	doctor_walk(&walk, roots);
	sockets->unseen = walk.unseen;
}

static void ask_for_each(const struct doctor *doctor, struct doctor_sockets *sockets)
{
	autofree struct may_question *questions =
		memory_allocate(sockets->count, sizeof(*questions));
	autofree int *answers = memory_allocate(sockets->count, sizeof(*answers));

	for (size_t i = 0; i < sockets->count; i++)
		questions[i] = (struct may_question){ MAY_WRITE, sockets->items[i].path };
	sockets->asked = subject_may(doctor->subject, questions, sockets->count, doctor->timeout_ms,
				     answers, &sockets->err);
	for (size_t i = 0; sockets->asked && i < sockets->count; i++)
		sockets->items[i].errnum = answers[i];
}

struct doctor_sockets *doctor_sockets_find(const struct doctor *doctor)
{
	struct doctor_sockets *sockets = memory_allocate(1, sizeof(*sockets));

	sockets->doctor = doctor;
	/* Known places first: the user may make any number of the others. */
	for (size_t i = 0; channel_paths[i]; i++)
		add_socket(sockets, channel_paths[i]);
	add_mounted(sockets);
	add_listening(sockets);
	add_files(sockets);
	doctor_list_end(&sockets->abstract, sockets->abstract_count);
	ask_for_each(doctor, sockets);
	return sockets;
}

void doctor_sockets_free(struct doctor_sockets *sockets)
{
	if (!sockets)
		return;
	for (size_t i = 0; i < sockets->count; i++)
		free(sockets->items[i].path);
	free(sockets->items);
	buffer_free(&sockets->abstract);
	buffer_free(&sockets->unseen);
	free(sockets->first_more);
	free(sockets);
}
