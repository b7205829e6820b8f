/* socket_process.c: which program has a socket. */
#include "system/socket_process.h"

#include "base/memory.h"
#include "system/child_answer.h"
#include "system/descriptor.h"
#include "system/privilege.h"
#include "system/users.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	uid_t uid;
	gid_t gid;
	bool as_root; /* with CAP_SYS_PTRACE, instead of as that user without any */
	char *wanted; /* what the descriptor leads to */
};

static bool settle(const struct search *search, struct err *err)
{
	if (search->as_root)
		return privilege_isolate_to_look(err);
	if (search->uid == geteuid())
		return privilege_isolate(err);
	return privilege_become(&(struct privilege_ids){ .uid = search->uid, .gid = search->gid },
				err);
}

static bool has_it(const char *process, const char *wanted)
{
	autofree char *path = memory_format("/proc/%s/fd", process);
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		char target[64];
		ssize_t length =
			readlinkat(dirfd(directory), entry->d_name, target, sizeof(target));

		found = length == (ssize_t)strlen(wanted) &&
			!memcmp(target, wanted, (size_t)length);
	}
	if (directory)
		closedir(directory);
	return found;
}

/* "1234 name" */
static bool look(void *context, struct buffer *ret, struct err *err)
{
	const struct search *search = context;
	const struct dirent *entry;
	DIR *directory;

	if (!settle(search, err))
		return false;
	directory = opendir("/proc");
	while (directory && (entry = readdir(directory))) {
		autofree char *comm = NULL;
		struct buffer name = { 0 };
		struct err ignored;
		bool present;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    !has_it(entry->d_name, search->wanted))
			continue;
		comm = memory_format("/proc/%s/comm", entry->d_name);
		buffer_printf(ret, "%s ", entry->d_name);
		if (descriptor_read_file(comm, sizeof(((struct socket_process *)0)->name), &name,
					 &present, &ignored))
			buffer_append(ret, name.data, name.length);
		buffer_free(&name);
		break;
	}
	if (directory)
		closedir(directory);
	if (ret->length)
		return true;
	err_set(err, "no process shows that socket");
	return false;
}

/* It comes from a process of that user's. */
static bool read_answer(const char *text, struct socket_process *ret)
{
	struct socket_process process = { .pid = 0 };
	char *rest;
	long pid = strtol(text, &rest, 10);
	size_t length = strcspn(rest + (*rest == ' '), "\n");

	if (pid <= 0 || pid > INT32_MAX || *rest != ' ')
		return false;
	process.pid = (pid_t)pid;
	if (length >= sizeof(process.name))
		length = sizeof(process.name) - 1;
	memcpy(process.name, rest + 1, length);
	for (char *at = process.name; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	*ret = process;
	return true;
}

static bool find(struct search *search, unsigned timeout_ms, struct socket_process *ret)
{
	const struct child_question question = {
		.work = look,
		.context = search,
		.uid = search->as_root ? geteuid() : search->uid,
		.timeout_ms = timeout_ms,
		.limit = 32,
	};
	struct buffer answer = { 0 };
	struct err ignored;
	bool good = child_answer(&question, &answer, &ignored) &&
		    read_answer(buffer_string(&answer), ret);

	buffer_free(&answer);
	return good;
}

bool socket_process_find(uid_t uid, uint32_t inode, unsigned timeout_ms, struct socket_process *ret)
{
	bool own = uid == geteuid(), good;
	struct search search = {
		.uid = uid,
		.gid = own ? (gid_t)-1 : users_gid(uid, NULL),
		.wanted = memory_format("socket:[%u]", (unsigned)inode),
	};

	good = find(&search, timeout_ms, ret);
	search.as_root = privilege_is_permitted(PRIVILEGE_SYS_PTRACE);
	good = good || (search.as_root && find(&search, timeout_ms, ret));
	free(search.wanted);
	return good;
}
