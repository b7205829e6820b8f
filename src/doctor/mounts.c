/* mounts.c: the mounts of a process, as /proc/PID/mountinfo tells them. */
#include "doctor/mounts.h"

#include "doctor/words.h"

#include <stdlib.h>
#include <string.h>

/* Blanks, tabs, newlines and backslashes stand as "\040" and so on. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
		    from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /root /point rw,nosuid master:1 - ext4 /dev/sda1 rw" */
static bool read_mount(struct cursor *line, struct mount *ret)
{
	struct word word, point;

	for (unsigned i = 0; i < 4; i++)
		if (!word_next(line, &word))
			return false;
	if (!word_next(line, &point))
		return false;
	while (word_next(line, &word)) {
		if (!word_is(word, "-"))
			continue;
		if (!word_next(line, &word))
			return false;
		*ret = (struct mount){ word_copy(point), word_copy(word) };
		unescape(ret->point);
		return true;
	}
	return false;
}

bool mount_next(struct cursor *text, struct mount *ret)
{
	struct cursor line;

	while (line_next(text, &line))
		if (read_mount(&line, ret))
			return true;
	return false;
}

void mount_free(struct mount *mount)
{
	free(mount->point);
	free(mount->type);
	*mount = (struct mount){ 0 };
}

bool mount_is_remote(const struct mount *mount)
{
	static const char *const beginnings[] = {
		"9p", "afs", "ceph", "cifs", "fuse", "nfs", "smb3"
	};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (!strncmp(mount->type, beginnings[i], strlen(beginnings[i])))
			return strcmp(mount->type, "fusectl") != 0;
	return false;
}

bool mount_is_kernels(const struct mount *mount)
{
	static const char *const types[] = {
		"autofs",     "binfmt_misc", "bpf",       "cgroup",   "cgroup2",
		"configfs",   "debugfs",     "devpts",    "efivarfs", "fusectl",
		"hugetlbfs",  "mqueue",      "nsfs",      "proc",     "pstore",
		"rpc_pipefs", "securityfs",  "selinuxfs", "sysfs",    "tracefs",
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(mount->type, types[i]))
			return true;
	return false;
}
