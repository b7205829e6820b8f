/* accounts.c: users and groups, as passwd(5) and group(5) have them. */
#include "doctor/accounts.h"

#include <stddef.h>

/* NAME:PASSWORD:NUMBER, which both files begin with. */
static bool read_head(struct cursor *line, struct word *ret_name, uint32_t *ret_id)
{
	struct word password, number;
	uint64_t id;

	if (!part_next(line, ':', ret_name) || !ret_name->length ||
	    !part_next(line, ':', &password) || !part_next(line, ':', &number) ||
	    !word_number(number, 10, UINT32_MAX, &id))
		return false;
	*ret_id = (uint32_t)id;
	return true;
}

bool passwd_next(struct cursor *text, struct passwd_entry *ret)
{
	struct cursor line;

	while (line_next(text, &line)) {
		struct passwd_entry entry;
		struct word number;
		uint64_t gid;

		if (!read_head(&line, &entry.name, &entry.uid) || !part_next(&line, ':', &number) ||
		    !word_number(number, 10, UINT32_MAX, &gid))
			continue;
		entry.gid = (uint32_t)gid;
		*ret = entry;
		return true;
	}
	return false;
}

bool group_next(struct cursor *text, struct group_entry *ret)
{
	struct cursor line;

	while (line_next(text, &line)) {
		struct group_entry entry;

		if (!read_head(&line, &entry.name, &entry.gid))
			continue;
		entry.members = word_rest(&line);
		*ret = entry;
		return true;
	}
	return false;
}

bool group_has_member(const struct group_entry *group, const char *name)
{
	struct cursor members = cursor_over(group->members.text, group->members.length);
	struct word member;

	while (part_next(&members, ',', &member))
		if (word_is(word_trim(member), name))
			return true;
	return false;
}

bool group_is_privileged(struct word name, uint32_t gid)
{
	static const char *const names[] = {
		"admin",       "containerd", "disk",    "docker", "incus",
		"incus-admin", "kmem",       "libvirt", "lxd",    "netdev",
		"podman",      "root",       "shadow",  "sudo",   "wheel",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (word_is(name, names[i]))
			return true;
	return !gid;
}
