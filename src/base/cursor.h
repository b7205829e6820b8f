/* cursor.h: the only way in which untrusted bytes are read. */
#ifndef EGRESSFW_BASE_CURSOR_H
#define EGRESSFW_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A view of bytes that somebody else owns; position never passes length. */
struct cursor {
	const uint8_t *data;
	size_t length;
	size_t position;
};

struct cursor cursor_over(const void *data, size_t length);

/* How many bytes are left. */
size_t cursor_left(const struct cursor *cursor);

/* The next `length` bytes, which are then behind the cursor; NULL (and no move) past the end. */
const uint8_t *cursor_take(struct cursor *cursor, size_t length);

/* Integers in network byte order; false (and no move, *ret untouched) past the end. */
bool cursor_u8(struct cursor *cursor, uint8_t *ret);
bool cursor_u16(struct cursor *cursor, uint16_t *ret);
bool cursor_u32(struct cursor *cursor, uint32_t *ret);
bool cursor_u64(struct cursor *cursor, uint64_t *ret);

/*
 * The next line without its "\n", and whether it had one. False at the end of the data.
 * A last line without "\n" is a line; an empty rest is not.
 */
bool cursor_line(struct cursor *cursor, const uint8_t **ret_line, size_t *ret_length,
		 bool *ret_ended);

#endif
