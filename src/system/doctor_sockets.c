/* doctor_sockets.c: UNIX sockets that the user may connect to, found by path and by name. */
#include "system/doctor.h"

#include "base/memory.h"
#include "doctor/channels.h"
#include "doctor/mounts.h"
#include "doctor/proc_net.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * /proc/net/unix has what listens in this network namespace. A socket that is mounted into a
 * container belongs to another one and is not in it, so sockets are looked for among files and
 * mounts too. Nothing is connected to: that a socket listens is then not known.
 */
enum { SOCKETS_MAX = 4096, ENTRIES_MAX = 100000, DEPTH_MAX = 6 };

struct found_socket {
	char *path;
	enum check check;
	struct stat status; /* where has_status */
	bool has_status;
	bool known; /* who waits there: */
	uint32_t opener;
	int errnum; /* 0: the user may */
};

struct doctor_sockets {
	struct found_socket *items;
	size_t count;
	struct buffer abstract; /* a list */
	size_t abstract_count;
	bool listed;  /* /proc/net/unix could be read */
	bool bounded; /* there are more than are looked at */
	bool asked;
	struct err err; /* why not */
};

static void add_socket(struct doctor_sockets *sockets, const char *path)
{
	autofree char *real = realpath(path, NULL);
	const char *name = real ? real : path;
	struct found_socket found = { .check = channel_of_path(name) };
	struct stat status;

	if (sockets->count == SOCKETS_MAX) {
		sockets->bounded = true;
		return;
	}
	if (!stat(name, &status)) {
		if (!S_ISSOCK(status.st_mode))
			return;
		found.status = status;
		found.has_status = true;
	} else if (errno != EACCES) {
		return; /* of another mount namespace, or gone */
	}
	for (size_t i = 0; i < sockets->count; i++)
		if (!strcmp(sockets->items[i].path, name))
			return;
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

/* Where programs put their sockets. */
static void add_files(struct doctor_sockets *sockets)
{
	char run[] = "/run", tmp[] = "/tmp", var_tmp[] = "/var/tmp";
	char *const roots[] = { run, tmp, var_tmp, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	const FTSENT *entry;
	size_t seen = 0;

	while (tree && (entry = fts_read(tree))) {
		if (seen++ == ENTRIES_MAX) {
			sockets->bounded = true;
			break;
		}
		if (entry->fts_info == FTS_D && entry->fts_level >= DEPTH_MAX)
			fts_set(tree, (FTSENT *)entry, FTS_SKIP);
		if (entry->fts_info == FTS_DEFAULT && S_ISSOCK(entry->fts_statp->st_mode))
			add_socket(sockets, entry->fts_path);
	}
	if (tree)
		fts_close(tree);
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

/* The file may be given to anybody: whose the service is says who opened its socket. */
static void name_openers(const struct doctor *doctor, struct doctor_sockets *sockets)
{
	for (size_t i = 0; i < sockets->count; i++) {
		struct found_socket *found = &sockets->items[i];

		found->known = found->has_status &&
			       unix_sockets_find(&doctor->waiting, found->status.st_dev,
						 found->status.st_ino, doctor->subject->uid,
						 &found->opener);
	}
}

struct doctor_sockets *doctor_sockets_find(const struct doctor *doctor)
{
	struct doctor_sockets *sockets = memory_allocate(1, sizeof(*sockets));

	/* Known places first: the user may make any number of the others. */
	for (size_t i = 0; channel_paths[i]; i++)
		add_socket(sockets, channel_paths[i]);
	add_mounted(sockets);
	add_listening(sockets);
	add_files(sockets);
	doctor_list_end(&sockets->abstract, sockets->abstract_count);
	name_openers(doctor, sockets);
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
	free(sockets);
}

static void list_socket(const struct found_socket *found, struct buffer *ret, size_t *count)
{
	autofree char *text =
		found->known ? memory_format("%s (uid %" PRIu32 ")", found->path, found->opener)
			     : memory_format("%s (of whom is not known)", found->path);

	doctor_list(ret, count, text);
}

/* The sockets of a check that the user may connect to; true: there are some. */
static bool list_open(const struct doctor *doctor, enum check check, struct buffer *ret)
{
	const struct doctor_sockets *sockets = doctor->sockets;
	size_t count = 0;

	for (size_t i = 0; i < sockets->count; i++) {
		const struct found_socket *found = &sockets->items[i];

		/* An ordinary socket of its own has nobody else behind it. */
		if (found->check == check && !found->errnum &&
		    (check != CHECK_UNIX_SOCKETS || !found->known ||
		     found->opener != doctor->subject->uid))
			list_socket(found, ret, &count);
	}
	doctor_list_end(ret, count);
	return count > 0;
}

static void judge(const struct doctor *doctor, enum check check, const char *what,
		  const char *danger, const char *advice, struct check_result *ret)
{
	struct buffer list = { 0 };

	if (!doctor->sockets->asked)
		check_unknown(ret, "run doctor as root", "%s", doctor->sockets->err.text);
	else if (!list_open(doctor, check, &list) && !doctor->sockets->listed)
		check_unknown(ret, NULL, "%s", doctor->sockets->err.text);
	else if (!list.length && doctor->sockets->bounded)
		check_unknown(ret, "end what makes so many sockets and files, and run doctor again",
			      "there are more sockets or files than were looked at");
	else if (!list.length && check == CHECK_UNIX_SOCKETS)
		check_pass(ret, "no socket that another user opened is open to the user");
	else if (!list.length)
		check_pass(ret, "no socket of %s is open to the user", what);
	else if (check == CHECK_CONTAINER_ENGINE)
		check_fail(ret, advice, "the user may connect to %s, %s", buffer_string(&list),
			   danger);
	else
		check_warn(ret, advice, "the user may connect to %s, %s", buffer_string(&list),
			   danger);
	buffer_free(&list);
}

void doctor_container_engine(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_CONTAINER_ENGINE, "a container engine",
	      "which starts programs as anybody, outside of these rules",
	      "do not mount it here, and take the user out of its group", ret);
}

void doctor_systemd_resolved(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_SYSTEMD_RESOLVED, "systemd-resolved",
	      "which asks name servers for anybody: a name can carry data out",
	      "stop systemd-resolved, or close its socket to the user", ret);
}

void doctor_nscd(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_NSCD, "nscd",
	      "which looks names up for anybody: a name can carry data out",
	      "stop nscd, or set \"enable-cache hosts no\"", ret);
}

void doctor_dbus(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_DBUS, "D-Bus",
	      "behind which services with a network of their own may listen",
	      "do not mount it here, or stop the services that reach out", ret);
}

void doctor_key_agents(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_KEY_AGENTS, "an ssh or gpg agent",
	      "which signs for the user; a forwarded one leads to another machine",
	      "end it, and forward no agent", ret);
}

void doctor_unix_sockets(const struct doctor *doctor, struct check_result *ret)
{
	judge(doctor, CHECK_UNIX_SOCKETS, "another user",
	      "behind which somebody else works, with a network of their own",
	      "close them to the user by their permissions, or see that none passes on what it is "
	      "told",
	      ret);
}

void doctor_abstract_sockets(const struct doctor *doctor, struct check_result *ret)
{
	if (!doctor->sockets->listed)
		check_unknown(ret, NULL, "%s", doctor->sockets->err.text);
	else if (doctor->sockets->abstract_count)
		check_warn(ret,
			   "see that none of them passes on what it is told; they have no "
			   "permissions, "
			   "and belong to the network namespace",
			   "abstract sockets listen, to which anybody may connect: %s",
			   buffer_string(&doctor->sockets->abstract));
	else
		check_pass(ret, "no abstract socket listens in this network namespace");
}
