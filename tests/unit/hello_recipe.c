/* hello_recipe.c: ClientHellos made to measure, good and bad. */
#include "hello_recipe.h"

#include <string.h>

enum { KEY_SHARE = 51, SUPPORTED_VERSIONS = 43, PADDING = 21 };

static void append_octets(const struct octets *octets, struct buffer *out)
{
	if (octets->bytes)
		buffer_append(out, octets->bytes, octets->length);
}

static void append_many(uint8_t octet, size_t count, struct buffer *out)
{
	memset(buffer_reserve(out, count), octet, count);
	out->length += count;
}

static void append_extension(uint16_t type, const void *data, size_t length, struct buffer *out)
{
	buffer_append_u16(out, type);
	buffer_append_u16(out, (uint16_t)length);
	buffer_append(out, data, length);
}

static void append_server_name(const struct recipe *recipe, struct buffer *out)
{
	struct buffer data = { 0 };

	if (recipe->name_data.bytes) {
		append_octets(&recipe->name_data, &data);
	} else if (recipe->name.bytes) {
		buffer_append_u16(&data, (uint16_t)(recipe->name.length + 3));
		buffer_append_u8(&data, 0);
		buffer_append_u16(&data, (uint16_t)recipe->name.length);
		append_octets(&recipe->name, &data);
	} else {
		return;
	}
	append_extension(0, data.data ? data.data : (const uint8_t *)"", data.length, out);
	buffer_free(&data);
}

static void append_extensions(const struct recipe *recipe, struct buffer *out)
{
	struct buffer key = { 0 }, padding = { 0 };

	append_extension(SUPPORTED_VERSIONS, "\2\3\4", 3, out);
	append_octets(&recipe->extensions, out);
	if (recipe->key_share) {
		buffer_append_u16(&key, (uint16_t)(recipe->key_share + 4));
		buffer_append_u16(&key, 0x11ec); /* X25519MLKEM768 */
		buffer_append_u16(&key, (uint16_t)recipe->key_share);
		append_many(0x5a, recipe->key_share, &key);
		append_extension(KEY_SHARE, key.data, key.length, out);
	}
	append_server_name(recipe, out);
	if (recipe->padding) {
		append_many(0, recipe->padding, &padding);
		append_extension(PADDING, padding.data, padding.length, out);
	}
	buffer_free(&key);
	buffer_free(&padding);
}

static void append_body(const struct recipe *recipe, struct buffer *out)
{
	size_t session = recipe->session ? recipe->session - 1 : 32;
	size_t ciphers = recipe->ciphers ? recipe->ciphers - 1 : 6;
	size_t compressions = recipe->compressions ? recipe->compressions - 1 : 1;
	struct buffer extensions = { 0 };

	buffer_append_u16(out, recipe->version ? recipe->version : 0x0303);
	append_many(0xa5, 32, out);
	buffer_append_u8(out, (uint8_t)session);
	append_many(0x77, session, out);
	buffer_append_u16(out, (uint16_t)ciphers);
	append_many(0x13, ciphers, out);
	buffer_append_u8(out, (uint8_t)compressions);
	append_many(0, compressions, out);
	if (!recipe->no_extensions) {
		append_extensions(recipe, &extensions);
		buffer_append_u16(out, (uint16_t)((int)extensions.length + recipe->extensions_off));
		buffer_append(out, extensions.data, extensions.length);
	}
	append_octets(&recipe->behind, out);
	buffer_free(&extensions);
}

static void append_records(const struct recipe *recipe, const struct buffer *message, struct buffer *out)
{
	size_t most = recipe->fragment ? recipe->fragment : TLS_FRAGMENT_MAX;
	uint8_t type = recipe->record_type ? recipe->record_type : TLS_HANDSHAKE;

	for (size_t at = 0, step; at < message->length; at += step) {
		step = message->length - at < most ? message->length - at : most;
		buffer_append_u8(out, at && recipe->later_type ? recipe->later_type : type);
		buffer_append_u16(out, recipe->record_version ? recipe->record_version : 0x0301);
		buffer_append_u16(out, (uint16_t)step);
		buffer_append(out, message->data + at, step);
		if (!at)
			append_octets(&recipe->between, out);
	}
}

void recipe_make(const struct recipe *recipe, struct buffer *ret_stream)
{
	struct buffer body = { 0 }, message = { 0 };

	*ret_stream = (struct buffer){ 0 };
	if (recipe->raw.bytes) {
		append_octets(&recipe->raw, ret_stream);
	} else {
		append_body(recipe, &body);
		buffer_append_u32(&message,
				  (uint32_t)(recipe->message_type ? recipe->message_type : 1) << 24 |
					  ((uint32_t)((int)body.length + recipe->length_off) & 0xffffff));
		buffer_append(&message, body.data, body.length);
		append_records(recipe, &message, ret_stream);
	}
	if (recipe->cut)
		ret_stream->length = recipe->cut;
	append_octets(&recipe->after, ret_stream);
	buffer_free(&body);
	buffer_free(&message);
}

size_t recipe_limit(const struct recipe *recipe)
{
	return recipe->limit ? recipe->limit : 32768;
}
