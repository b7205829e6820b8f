/* client_hello.c: the name that a TLS client asks for, from records to one handshake message. */
#include "filter/client_hello.h"

#include "base/cursor.h"
#include "filter/hello_message.h"

#include <assert.h>
#include <string.h>

const char *hello_fault_name(enum hello_fault fault)
{
	static const char *const names[] = {
		[HELLO_NOT_TLS] = "not_tls",
		[HELLO_TOO_LARGE] = "hello_too_large",
		[HELLO_MALFORMED] = "hello_malformed",
		[HELLO_NOT_A_HELLO] = "not_a_hello",
		[HELLO_NAME_MALFORMED] = "server_name_malformed",
		[HELLO_NAME_ADDRESS] = "server_name_address",
		[HELLO_NAME_REPEATED] = "server_name_repeated",
		[HELLO_NAME_MISSING] = "server_name_missing",
		[HELLO_NAME_OTHER] = "server_name_other",
		[HELLO_SECOND_NAME] = "second_server_name_other",
	};
	static_assert(sizeof(names) / sizeof(*names) == HELLO_SECOND_NAME + 1,
		      "a name for every fault");

	return names[fault];
}

void hello_reader_start(struct hello_reader *reader, size_t limit)
{
	*reader = (struct hello_reader){ .limit = limit };
}

void hello_reader_free(struct hello_reader *reader)
{
	buffer_free(&reader->message);
}

static enum hello_status refuse(enum hello_fault fault, enum hello_fault *ret_fault)
{
	*ret_fault = fault;
	return HELLO_REFUSED;
}

/*
 * The next record's header. HELLO_MORE: it is not whole, and the cursor is spent. What contradicts
 * is said as soon as it is there: whoever speaks something else may never send five octets.
 */
static enum hello_status read_record_header(struct hello_reader *reader, struct cursor *cursor,
					    enum hello_fault *ret_fault)
{
	bool first = !reader->position;
	struct cursor header = *cursor;
	uint8_t type, major, minor;
	uint16_t length;

	if (cursor_u8(&header, &type) && type != TLS_HANDSHAKE)
		return refuse(first ? HELLO_NOT_TLS : HELLO_NOT_A_HELLO, ret_fault);
	if (cursor_u8(&header, &major) && major != 3)
		return refuse(first ? HELLO_NOT_TLS : HELLO_MALFORMED, ret_fault);
	if (!cursor_u8(&header, &minor) || !cursor_u16(&header, &length)) {
		cursor_take(cursor, cursor_left(cursor));
		return HELLO_MORE;
	}
	if (length == 0 || length > TLS_FRAGMENT_MAX)
		return refuse(HELLO_MALFORMED, ret_fault);
	reader->fragment_left = length;
	reader->position += TLS_RECORD_HEADER_SIZE;
	*cursor = header;
	return HELLO_READ;
}

/* Octets of the whole message with its header, 0 while the header is not there. */
static size_t message_size(const struct hello_reader *reader)
{
	struct cursor cursor = cursor_over(reader->message.data, reader->message.length);
	uint32_t header; /* type and length */

	return cursor_u32(&cursor, &header) ? TLS_HANDSHAKE_HEADER_SIZE + (header & 0xffffff) : 0;
}

/* What the message shows so far; every octet that it lacks is one more of the stream. */
static enum hello_status check_message(const struct hello_reader *reader,
				       enum hello_fault *ret_fault)
{
	size_t whole = message_size(reader), have = reader->message.length;
	size_t end = reader->position + (whole > have ? whole - have : 0);

	if (have && reader->message.data[0] != HANDSHAKE_CLIENT_HELLO)
		return refuse(HELLO_NOT_A_HELLO, ret_fault);
	if (end > reader->limit)
		return refuse(HELLO_TOO_LARGE, ret_fault);
	if (whole && have + reader->fragment_left > whole)
		return refuse(HELLO_NOT_A_HELLO, ret_fault);
	return whole && have == whole ? HELLO_READ : HELLO_MORE;
}

/* Takes what is there of one record. */
static enum hello_status read_record(struct hello_reader *reader, struct cursor *cursor,
				     enum hello_fault *ret_fault)
{
	enum hello_status status;
	size_t step;

	if (!reader->fragment_left) {
		status = read_record_header(reader, cursor, ret_fault);
		if (status != HELLO_READ)
			return status;
	}
	step = cursor_left(cursor);
	if (step > reader->fragment_left)
		step = reader->fragment_left;
	buffer_append(&reader->message, cursor_take(cursor, step), step);
	reader->position += step;
	reader->fragment_left -= step;
	return check_message(reader, ret_fault);
}

enum hello_status hello_read(struct hello_reader *reader, const uint8_t *stream, size_t length,
			     struct client_hello *ret, enum hello_fault *ret_fault)
{
	struct cursor cursor = cursor_over(stream, length);
	enum hello_status status = HELLO_MORE;
	struct client_hello hello;

	cursor_take(&cursor, reader->position);
	while (status == HELLO_MORE && cursor_left(&cursor))
		status = read_record(reader, &cursor, ret_fault);
	if (status != HELLO_READ)
		return status;
	if (!hello_message_read(reader->message.data, reader->message.length, &hello, ret_fault))
		return HELLO_REFUSED;
	hello.length = reader->position;
	*ret = hello;
	return HELLO_READ;
}

bool hello_suits(const struct client_hello *hello, const struct target *target,
		 enum hello_fault *ret_fault)
{
	if (!strcmp(hello->name, target->host))
		return true;
	*ret_fault = hello->name[0] ? HELLO_NAME_OTHER : HELLO_NAME_MISSING;
	return false;
}
