/* store_value.c: values as bytes for a file or a pipe, and back as untrusted input. */
#include "plan/store_value.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void store_text(const char *text, struct buffer *out)
{
	size_t length = strlen(text);

	if (length > UINT8_MAX)
		abort(); /* a cut name could be another object's */
	buffer_append_u8(out, (uint8_t)length);
	buffer_append(out, text, length);
}

bool load_text(struct cursor *cursor, char *ret, size_t size)
{
	const uint8_t *bytes;
	uint8_t length;

	if (!cursor_u8(cursor, &length) || length >= size)
		return false;
	bytes = cursor_take(cursor, length);
	if (!bytes || memchr(bytes, '\0', length))
		return false;
	memcpy(ret, bytes, length);
	memset(ret + length, 0, size - length);
	return true;
}

bool load_choice(struct cursor *cursor, uint8_t limit, uint8_t *ret)
{
	return cursor_u8(cursor, ret) && *ret < limit;
}

bool load_flag(struct cursor *cursor, bool *ret)
{
	uint8_t value;

	if (!load_choice(cursor, 2, &value))
		return false;
	*ret = value;
	return true;
}

bool load_count(struct cursor *cursor, size_t size, uint32_t *ret)
{
	return cursor_u32(cursor, ret) && *ret <= cursor_left(cursor) / size;
}

void store_address(const struct address *address, struct buffer *out)
{
	buffer_append_u8(out, (uint8_t)address->family);
	buffer_append(out, address->bytes, address_width(address->family));
}

bool load_address(struct cursor *cursor, struct address *ret)
{
	const uint8_t *bytes;
	uint8_t family;

	if (!load_choice(cursor, FAMILY_IPV6 + 1, &family))
		return false;
	bytes = cursor_take(cursor, address_width(family));
	if (!bytes)
		return false;
	*ret = (struct address){ .family = family };
	memcpy(ret->bytes, bytes, address_width(family));
	return true;
}

void store_ranges(const struct rangeset *ranges, struct buffer *out)
{
	buffer_append_u32(out, (uint32_t)ranges->count);
	for (size_t i = 0; i < ranges->count; i++) {
		buffer_append_u32(out, ranges->items[i].first);
		buffer_append_u32(out, ranges->items[i].last);
	}
}

bool load_ranges(struct cursor *cursor, uint32_t last_possible, struct rangeset *ret)
{
	uint32_t count;

	if (!load_count(cursor, 2 * sizeof(uint32_t), &count) || !count)
		return false;
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (; ret->count < count; ret->count++) {
		struct range *range = &ret->items[ret->count];

		if (!cursor_u32(cursor, &range->first) || !cursor_u32(cursor, &range->last) ||
		    range->first > range->last || range->last > last_possible ||
		    (ret->count && range->first <= (uint64_t)range[-1].last + 1))
			return false;
	}
	return true;
}
