/* buffer.c: bytes that grow at the end. */
#include "base/buffer.h"

#include "base/memory.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

uint8_t *buffer_reserve(struct buffer *buffer, size_t extra)
{
	size_t needed;

	if (__builtin_add_overflow(buffer->length, extra, &needed))
		memory_exhausted();
	if (needed > buffer->capacity) {
		size_t capacity = buffer->capacity ? buffer->capacity : 256;

		while (capacity < needed)
			if (__builtin_mul_overflow(capacity, (size_t)2, &capacity))
				memory_exhausted();
		buffer->data = memory_resize(buffer->data, capacity, 1);
		buffer->capacity = capacity;
	}
	return buffer->data + buffer->length;
}

void buffer_append_u16(struct buffer *buffer, uint16_t value)
{
	uint16_t wire = htobe16(value);

	buffer_append(buffer, &wire, sizeof(wire));
}

void buffer_append_u32(struct buffer *buffer, uint32_t value)
{
	uint32_t wire = htobe32(value);

	buffer_append(buffer, &wire, sizeof(wire));
}

void buffer_append_u64(struct buffer *buffer, uint64_t value)
{
	uint64_t wire = htobe64(value);

	buffer_append(buffer, &wire, sizeof(wire));
}

void buffer_append_decimal(struct buffer *buffer, uint64_t value)
{
	char digits[20];
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	buffer_append(buffer, digits + first, sizeof(digits) - first);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	size_t room = buffer->capacity - buffer->length;
	va_list arguments, again;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	/* There mostly is room, and then it is printed once. */
	length = vsnprintf(room ? (char *)buffer->data + buffer->length : NULL, room, format,
			   arguments);
	va_end(arguments);
	if (length < 0)
		memory_exhausted();
	if ((size_t)length >= room)
		vsnprintf((char *)buffer_reserve(buffer, (size_t)length + 1), (size_t)length + 1,
			  format, again);
	va_end(again);
	buffer->length += (size_t)length;
}

const char *buffer_string(struct buffer *buffer)
{
	*buffer_reserve(buffer, 1) = '\0';
	return (const char *)buffer->data;
}

char *buffer_steal(struct buffer *buffer)
{
	char *result;

	buffer_string(buffer);
	result = (char *)buffer->data;
	*buffer = (struct buffer){ 0 };
	return result;
}
