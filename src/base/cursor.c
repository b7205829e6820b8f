/* cursor.c: the only way in which untrusted bytes are read. */
#include "base/cursor.h"

#include <endian.h>
#include <string.h>

struct cursor cursor_over(const void *data, size_t length)
{
	return (struct cursor){ .data = data, .length = length, .position = 0 };
}

size_t cursor_left(const struct cursor *cursor)
{
	return cursor->length - cursor->position;
}

const uint8_t *cursor_take(struct cursor *cursor, size_t length)
{
	const uint8_t *start;

	if (length > cursor_left(cursor))
		return NULL;
	/* An empty view may rest on a NULL pointer, to which nothing may be added. */
	start = cursor->data ? cursor->data + cursor->position : (const uint8_t *)"";
	cursor->position += length;
	return start;
}

bool cursor_u8(struct cursor *cursor, uint8_t *ret)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(*ret));

	if (!bytes)
		return false;
	*ret = *bytes;
	return true;
}

bool cursor_u16(struct cursor *cursor, uint16_t *ret)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(*ret));
	uint16_t wire;

	if (!bytes)
		return false;
	memcpy(&wire, bytes, sizeof(wire));
	*ret = be16toh(wire);
	return true;
}

bool cursor_u32(struct cursor *cursor, uint32_t *ret)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(*ret));
	uint32_t wire;

	if (!bytes)
		return false;
	memcpy(&wire, bytes, sizeof(wire));
	*ret = be32toh(wire);
	return true;
}

bool cursor_u64(struct cursor *cursor, uint64_t *ret)
{
	const uint8_t *bytes = cursor_take(cursor, sizeof(*ret));
	uint64_t wire;

	if (!bytes)
		return false;
	memcpy(&wire, bytes, sizeof(wire));
	*ret = be64toh(wire);
	return true;
}

bool cursor_line(struct cursor *cursor, const uint8_t **ret_line, size_t *ret_length,
		 bool *ret_ended)
{
	size_t left = cursor_left(cursor);
	const uint8_t *start, *end;

	if (!left)
		return false;
	start = cursor->data + cursor->position;
	end = memchr(start, '\n', left);
	*ret_line = start;
	*ret_length = end ? (size_t)(end - start) : left;
	*ret_ended = end != NULL;
	cursor->position += *ret_length + (end ? 1 : 0);
	return true;
}
