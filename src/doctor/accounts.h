/* accounts.h: users and groups, as passwd(5) and group(5) have them. */
#ifndef EGRESSFW_DOCTOR_ACCOUNTS_H
#define EGRESSFW_DOCTOR_ACCOUNTS_H

#include "doctor/words.h"

#include <stdbool.h>
#include <stdint.h>

/* Pure. */
struct passwd_entry {
	struct word name;
	uint32_t uid, gid;
};

struct group_entry {
	struct word name;
	uint32_t gid;
	struct word members; /* separated by commas */
};

/* The next entry; lines that are none are passed over. False at the end. */
bool passwd_next(struct cursor *text, struct passwd_entry *ret);
bool group_next(struct cursor *text, struct group_entry *ret);

bool group_has_member(const struct group_entry *group, const char *name);

/* Whether members of the group are, or can make themselves, more than an ordinary user. */
bool group_is_privileged(struct word name, uint32_t gid);

#endif
