/* buffer.h: bytes that grow at the end. */
#ifndef EGRESSFW_BASE_BUFFER_H
#define EGRESSFW_BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Starts as { 0 }. data is not NUL-terminated unless buffer_string() was called. */
struct buffer {
	uint8_t *data;
	size_t length;
	size_t capacity;
};

/* Frees the bytes and makes the buffer empty; usable as a cleanup attribute. */
void buffer_free(struct buffer *buffer);

/* Makes room for `extra` more bytes and returns where they will stand; length is unchanged. */
uint8_t *buffer_reserve(struct buffer *buffer, size_t extra);

/* Here, for there mostly is room, and the length of a text in quotes is known before it is run. */
static inline void buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
	if (!length)
		return;
	if (buffer->capacity - buffer->length < length)
		buffer_reserve(buffer, length);
	memcpy(buffer->data + buffer->length, bytes, length);
	buffer->length += length;
}

static inline void buffer_append_text(struct buffer *buffer, const char *text)
{
	buffer_append(buffer, text, strlen(text));
}

static inline void buffer_append_u8(struct buffer *buffer, uint8_t value)
{
	buffer_append(buffer, &value, sizeof(value));
}

/* Network byte order. */
void buffer_append_u16(struct buffer *buffer, uint16_t value);
void buffer_append_u32(struct buffer *buffer, uint32_t value);
void buffer_append_u64(struct buffer *buffer, uint64_t value);

void buffer_append_decimal(struct buffer *buffer, uint64_t value);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The bytes as a NUL-terminated string that the buffer goes on owning; length is unchanged. */
const char *buffer_string(struct buffer *buffer);

/* Gives the bytes away, NUL-terminated; the caller frees them and the buffer is empty. */
char *buffer_steal(struct buffer *buffer);

#endif
