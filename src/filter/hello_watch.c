/* hello_watch.c: watches a TLS handshake for a second hello, which must repeat the first one's name. */
#include "filter/hello_watch.h"

#include "base/cursor.h"
#include "filter/hello_message.h"

#include <string.h>

/* The random of a ServerHello that is a HelloRetryRequest (RFC 8446, section 4.1.3). */
static const uint8_t retry_random[32] = {
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
	0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
	0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
};

/* Ciphertext is longer than what it carries (RFC 5246, section 6.2.3). */
enum { CIPHERTEXT_MAX = TLS_FRAGMENT_MAX + 2048 };

void hello_watch_start(struct hello_watch *watch, const struct client_hello *first, size_t limit)
{
	*watch = (struct hello_watch){ .status = WATCH_ON };
	memcpy(watch->name, first->name, sizeof(watch->name));
	hello_reader_start(&watch->reader, limit);
}

void hello_watch_free(struct hello_watch *watch)
{
	hello_reader_free(&watch->reader);
}

/* A hello begins here. Held back until it is whole. */
static enum watch_status judge_second(struct hello_watch *watch, const uint8_t *hello,
				      size_t length, enum hello_fault *ret_fault)
{
	struct client_hello second;

	switch (hello_read(&watch->reader, hello, length, &second, ret_fault)) {
	case HELLO_MORE:
		return WATCH_ON;
	case HELLO_REFUSED:
		return WATCH_REFUSED;
	case HELLO_READ:
		break;
	}
	if (!strcmp(second.name, watch->name))
		return WATCH_OVER;
	*ret_fault = HELLO_SECOND_NAME;
	return WATCH_REFUSED;
}

/* The record that begins at `record`. WATCH_ON with watch->skip at 0: more must be there first. */
static enum watch_status judge_record(struct hello_watch *watch, const uint8_t *record,
				      size_t length, enum hello_fault *ret_fault)
{
	struct cursor cursor = cursor_over(record, length);
	uint8_t type, major, minor, message;
	uint16_t fragment;

	if (!cursor_u8(&cursor, &type) || !cursor_u8(&cursor, &major) ||
	    !cursor_u8(&cursor, &minor) || !cursor_u16(&cursor, &fragment))
		return WATCH_ON;
	if (type < TLS_CHANGE_CIPHER_SPEC || type > TLS_APPLICATION_DATA || major != 3 ||
	    fragment > CIPHERTEXT_MAX || (type == TLS_HANDSHAKE && !fragment)) {
		*ret_fault = HELLO_MALFORMED;
		return WATCH_REFUSED;
	}
	if (type != TLS_HANDSHAKE) {
		watch->skip = TLS_RECORD_HEADER_SIZE + fragment;
		return WATCH_ON;
	}
	if (!cursor_u8(&cursor, &message))
		return WATCH_ON;
	/* Before TLS 1.3 the handshake goes on in clear, and nobody asks for a second hello. */
	if (message != HANDSHAKE_CLIENT_HELLO)
		return WATCH_OVER;
	return judge_second(watch, record, length, ret_fault);
}

enum watch_status hello_watch_client(struct hello_watch *watch, const uint8_t *unsent,
				     size_t length, size_t *ret_pass, enum hello_fault *ret_fault)
{
	size_t pass = 0, step;

	while (watch->status == WATCH_ON) {
		step = watch->skip < length - pass ? watch->skip : length - pass;
		watch->skip -= step;
		pass += step;
		if (pass == length)
			break;
		watch->status = judge_record(watch, unsent + pass, length - pass, ret_fault);
		if (watch->status == WATCH_ON && !watch->skip)
			break;
	}
	if (watch->status == WATCH_REFUSED)
		pass = 0;
	*ret_pass = watch->status == WATCH_OVER ? length : pass;
	return watch->status;
}

/* Whether what the server has sent so far begins like a HelloRetryRequest. */
static bool may_be_retry(const struct hello_watch *watch)
{
	struct cursor cursor = cursor_over(watch->server, watch->server_length);
	uint8_t type, message;
	uint16_t version, fragment;
	size_t left;

	if (!cursor_u8(&cursor, &type))
		return true;
	if (type != TLS_HANDSHAKE)
		return false;
	if (!cursor_u16(&cursor, &version) || !cursor_u16(&cursor, &fragment) ||
	    !cursor_u8(&cursor, &message))
		return true;
	if (message != HANDSHAKE_SERVER_HELLO)
		return false;
	/* A record this short cuts the message, and what follows is not looked at: it may be. */
	if (fragment < WATCH_SERVER_PREFIX - TLS_RECORD_HEADER_SIZE ||
	    !cursor_take(&cursor, TLS_HANDSHAKE_HEADER_SIZE - 1 + sizeof(version)))
		return true;
	left = cursor_left(&cursor);
	return !memcmp(cursor_take(&cursor, left), retry_random, left);
}

enum watch_status hello_watch_server(struct hello_watch *watch, const uint8_t *octets,
				     size_t length)
{
	size_t left = sizeof(watch->server) - watch->server_length;

	if (watch->status != WATCH_ON || !length || !left)
		return watch->status;
	if (length > left)
		length = left;
	memcpy(watch->server + watch->server_length, octets, length);
	watch->server_length += length;
	if (!may_be_retry(watch))
		watch->status = WATCH_OVER;
	return watch->status;
}
