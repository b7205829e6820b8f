/* named_users.c: users that a policy names, and the uids that they had when it was applied. */
#include "plan/named_users.h"

#include "base/memory.h"
#include "plan/store_value.h"

#include <stdlib.h>

enum { NAME_SIZE = 256, STORED_MIN = 1 + sizeof(uint32_t) };

void named_users_add(struct named_users *users, const char *name, uint32_t uid)
{
	users->items = memory_resize(users->items, users->count + 1, sizeof(*users->items));
	users->items[users->count++] = (struct named_user){ memory_copy_string(name), uid };
}

struct named_users named_users_copy(const struct named_users *users)
{
	struct named_users copy = { 0 };

	for (size_t i = 0; i < users->count; i++)
		named_users_add(&copy, users->items[i].name, users->items[i].uid);
	return copy;
}

void named_users_free(struct named_users *users)
{
	for (size_t i = 0; i < users->count; i++)
		free(users->items[i].name);
	free(users->items);
	*users = (struct named_users){ 0 };
}

void store_named_users(const struct named_users *users, struct buffer *out)
{
	buffer_append_u32(out, (uint32_t)users->count);
	for (size_t i = 0; i < users->count; i++) {
		store_text(users->items[i].name, out);
		buffer_append_u32(out, users->items[i].uid);
	}
}

bool load_named_users(struct cursor *cursor, struct named_users *ret)
{
	uint32_t count, uid;
	char name[NAME_SIZE];

	if (!load_count(cursor, STORED_MIN, &count))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!load_text(cursor, name, sizeof(name)) || !cursor_u32(cursor, &uid))
			return false;
		named_users_add(ret, name, uid);
	}
	return true;
}
