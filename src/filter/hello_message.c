/* hello_message.c: one ClientHello message: its shape and its server name. */
#include "filter/hello_message.h"

#include "base/cursor.h"
#include "base/text.h"
#include "policy/host.h"

#include <string.h>

/* https://www.iana.org/assignments/tls-extensiontype-values */
enum {
	EXTENSION_SERVER_NAME = 0,
	EXTENSION_ENCRYPTED_SERVER_NAME = 0xffce, /* a draft that went before the next */
	EXTENSION_ENCRYPTED_HELLO = 0xfe0d,
};

enum { RANDOM_SIZE = 32, SESSION_ID_MAX = 32, NAME_TYPE_HOST = 0 };

/* Vectors as RFC 8446, section 3.4 writes them: a length in one or two octets, then so many. */
static bool take_vector8(struct cursor *cursor, struct cursor *ret)
{
	const uint8_t *bytes;
	uint8_t length;

	if (!cursor_u8(cursor, &length) || !(bytes = cursor_take(cursor, length)))
		return false;
	*ret = cursor_over(bytes, length);
	return true;
}

static bool take_vector16(struct cursor *cursor, struct cursor *ret)
{
	const uint8_t *bytes;
	uint16_t length;

	if (!cursor_u16(cursor, &length) || !(bytes = cursor_take(cursor, length)))
		return false;
	*ret = cursor_over(bytes, length);
	return true;
}

/* Whether somebody takes the text for an address: it has a colon, or its last label is a number. */
static bool is_address_spelling(const char *text, size_t length)
{
	const char *end = text + length, *last;

	if (memchr(text, ':', length))
		return true;
	if (end > text && end[-1] == '.')
		end--;
	for (last = end; last > text && last[-1] != '.'; last--)
		;
	if (end - last < 2 || last[0] != '0' || text_lower(last[1]) != 'x')
		return text_all_digits(last, (size_t)(end - last));
	for (last += 2; last < end && text_hex_value(*last) >= 0; last++)
		;
	return last == end;
}

/* The one host name (RFC 6066, section 3), brought into normal form. */
static bool read_host_name(struct cursor name, struct client_hello *ret,
			   enum hello_fault *ret_fault)
{
	char text[HOST_TEXT_SIZE + 1]; /* one root dot more than a name has */
	size_t length = cursor_left(&name);
	struct err err;

	*ret_fault = HELLO_NAME_MALFORMED;
	if (length == 0 || length >= sizeof(text))
		return false;
	memcpy(text, cursor_take(&name, length), length);
	text[length] = '\0';
	if (strlen(text) != length)
		return false;
	if (host_normalise_request(text, ret->name, &err))
		return true;
	if (is_address_spelling(text, length))
		*ret_fault = HELLO_NAME_ADDRESS;
	return false;
}

static bool read_server_name(struct cursor data, struct client_hello *ret,
			     enum hello_fault *ret_fault)
{
	struct cursor list, name;
	uint8_t type;

	*ret_fault = HELLO_MALFORMED;
	if (!take_vector16(&data, &list) || cursor_left(&data) || !cursor_u8(&list, &type))
		return false;
	/* How long a name of another kind is, its kind would say. */
	if (type != NAME_TYPE_HOST) {
		*ret_fault = HELLO_NAME_REPEATED;
		return false;
	}
	if (!take_vector16(&list, &name))
		return false;
	if (cursor_left(&list)) {
		*ret_fault = HELLO_NAME_REPEATED;
		return false;
	}
	return read_host_name(name, ret, ret_fault);
}

static bool read_extension(uint16_t type, struct cursor data, struct client_hello *ret,
			   enum hello_fault *ret_fault)
{
	if (type == EXTENSION_ENCRYPTED_HELLO || type == EXTENSION_ENCRYPTED_SERVER_NAME)
		ret->encrypted = true;
	return type != EXTENSION_SERVER_NAME || read_server_name(data, ret, ret_fault);
}

static bool read_extensions(struct cursor *cursor, struct client_hello *ret,
			    enum hello_fault *ret_fault)
{
	uint8_t seen[(UINT16_MAX + 1) / 8] = { 0 };
	struct cursor extensions, data;
	uint16_t type;

	*ret_fault = HELLO_MALFORMED;
	if (!take_vector16(cursor, &extensions) || cursor_left(cursor))
		return false;
	while (cursor_left(&extensions)) {
		*ret_fault = HELLO_MALFORMED;
		if (!cursor_u16(&extensions, &type) || !take_vector16(&extensions, &data) ||
		    seen[type / 8] & 1U << type % 8)
			return false;
		seen[type / 8] |= (uint8_t)(1U << type % 8);
		if (!read_extension(type, data, ret, ret_fault))
			return false;
	}
	return true;
}

bool hello_message_read(const uint8_t *message, size_t length, struct client_hello *ret,
			enum hello_fault *ret_fault)
{
	struct cursor cursor = cursor_over(message, length);
	struct client_hello hello = { .name = "" };
	struct cursor session, ciphers, compressions;
	enum hello_fault fault;
	uint16_t version;

	*ret_fault = HELLO_MALFORMED;
	if (!cursor_take(&cursor, TLS_HANDSHAKE_HEADER_SIZE) || !cursor_u16(&cursor, &version) ||
	    version >> 8 != 3 || !cursor_take(&cursor, RANDOM_SIZE) ||
	    !take_vector8(&cursor, &session) || cursor_left(&session) > SESSION_ID_MAX ||
	    !take_vector16(&cursor, &ciphers) || cursor_left(&ciphers) < 2 ||
	    cursor_left(&ciphers) % 2 || !take_vector8(&cursor, &compressions) ||
	    !cursor_left(&compressions))
		return false;
	/* Before TLS 1.3 a hello could end here. */
	if (cursor_left(&cursor) && !read_extensions(&cursor, &hello, &fault)) {
		*ret_fault = fault;
		return false;
	}
	*ret = hello;
	return true;
}
