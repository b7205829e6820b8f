/* named_users.h: users that a policy names, and the uids that they had when it was applied. */
#ifndef EGRESSFW_PLAN_NAMED_USERS_H
#define EGRESSFW_PLAN_NAMED_USERS_H

#include "base/buffer.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named_user {
	char *name;
	uint32_t uid;
};

/* Starts as { 0 }. */
struct named_users {
	struct named_user *items;
	size_t count;
};

/* Copies the name, which is at most 255 bytes long. */
void named_users_add(struct named_users *users, const char *name, uint32_t uid);
struct named_users named_users_copy(const struct named_users *users);
void named_users_free(struct named_users *users);

/* As part of a stored plan. What was read stands in *ret even when the answer is false. */
void store_named_users(const struct named_users *users, struct buffer *out);
bool load_named_users(struct cursor *cursor, struct named_users *ret);

#endif
