/* rights.h: whom sudoers(5) and doas.conf(5) let become somebody else; a simple reading. */
#ifndef EGRESSFW_DOCTOR_RIGHTS_H
#define EGRESSFW_DOCTOR_RIGHTS_H

#include "base/buffer.h"
#include "doctor/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pure. Who is asked about, with the primary group among the groups. */
struct person {
	uint32_t uid;
	const char *name; /* NULL: none */
	const uint32_t *gids;
	const char *const *group_names; /* NULL where a group has no name */
	size_t group_count;
};

/*
 * Whether a line of sudoers is about the person: by name, uid, group, gid, ALL, or an alias of
 * users that has one of these. Which hosts, commands and target users it is for is not looked at,
 * nor are negated entries and netgroups: the answer is "may". *ret_line is the first such line.
 */
bool sudo_may(const void *text, size_t length, const struct person *person, struct word *ret_line);

/* Continued lines joined, since a rule may go over several. */
void sudo_join(const void *text, size_t length, struct buffer *out);

/* The next file or directory that is included; false at the end. */
struct sudo_include {
	struct word path;
	bool directory;
};
bool sudo_include_next(struct cursor *text, struct sudo_include *ret);

/* The last rule of doas.conf for the person, whatever the command, permits. */
bool doas_may(const void *text, size_t length, const struct person *person, struct word *ret_line);

#endif
