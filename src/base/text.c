/* text.c: short texts from outside: strict numbers, and forms that are safe to print. */
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { ESCAPE_SIZE = 13 }; /* two \uXXXX and a NUL */

bool text_is_digit(char character)
{
	return character >= '0' && character <= '9';
}

bool text_is_letter(char character)
{
	return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

char text_lower(char character)
{
	return character >= 'A' && character <= 'Z' ? (char)(character - 'A' + 'a') : character;
}

int text_hex_value(char character)
{
	char lower = text_lower(character);

	if (text_is_digit(character))
		return character - '0';
	return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static bool is_blank(char character)
{
	return character == ' ' || (character >= '\t' && character <= '\r');
}

const char *text_stray_blank(const char *word)
{
	size_t length = strlen(word);

	if (!length)
		return "is empty";
	if (is_blank(word[0]))
		return length == strspn(word, " \t\n\v\f\r") ? "is blank" : "begins with a blank";
	return is_blank(word[length - 1]) ? "ends with a blank" : NULL;
}

bool text_all_digits(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!text_is_digit(text[i]))
			return false;
	return length > 0;
}

bool text_number(const char *text, size_t length, uint32_t *ret)
{
	uint64_t value = 0;

	if (!text_all_digits(text, length) || length > 10 || (length > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < length; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	if (value > UINT32_MAX)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* How many bytes follow a first byte of UTF-8, and the bits it gives; -1 where it is none. */
static int lead(uint8_t byte, uint32_t *ret_bits)
{
	if (byte < 0x80) {
		*ret_bits = byte;
		return 0;
	}
	if (byte >= 0xc2 && byte <= 0xdf) {
		*ret_bits = byte & 0x1fU;
		return 1;
	}
	if (byte >= 0xe0 && byte <= 0xef) {
		*ret_bits = byte & 0x0fU;
		return 2;
	}
	if (byte >= 0xf0 && byte <= 0xf4) {
		*ret_bits = byte & 0x07U;
		return 3;
	}
	return -1;
}

/* The code point at `text`, which is not at its end; U+FFFD for one byte that is not UTF-8. */
static uint32_t code_point(const char *text, size_t *ret_length)
{
	uint32_t value;
	int following = lead((uint8_t)text[0], &value);

	*ret_length = 1;
	for (int i = 1; i <= following; i++) {
		uint8_t byte = (uint8_t)text[i];

		if ((byte & 0xc0) != 0x80)
			return 0xfffd;
		value = value << 6 | (byte & 0x3fU);
	}
	if (following < 0 ||
	    (following == 2 && (value < 0x800 || (value & 0xfffff800U) == 0xd800)) ||
	    (following == 3 && (value < 0x10000 || value > 0x10ffff)))
		return 0xfffd;
	*ret_length = (size_t)following + 1;
	return value;
}

static char *escape_unit(uint32_t unit, char *at)
{
	static const char digits[] = "0123456789abcdef";

	*at++ = '\\';
	*at++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*at++ = digits[unit >> shift & 0xfU];
	return at;
}

static size_t escape(const char *text, char piece[ESCAPE_SIZE])
{
	static const char short_names[] = "\bb\tt\nn\ff\rr\"\"\\\\";
	const char *name = short_names;
	char *at = piece;
	size_t length;
	uint32_t value = code_point(text, &length);

	while (*name && value != (uint8_t)*name)
		name += 2;
	if (*name) {
		*at++ = '\\';
		*at++ = name[1];
	} else if (value >= 0x20 && value < 0x7f) {
		*at++ = (char)value;
	} else if (value < 0x10000) {
		at = escape_unit(value, at);
	} else {
		at = escape_unit(0xd800U | ((value - 0x10000) >> 10 & 0x3ffU), at);
		at = escape_unit(0xdc00U | (value & 0x3ffU), at);
	}
	*at = '\0';
	return length;
}

uint32_t text_hash(const char *text)
{
	uint32_t value = 2166136261U;

	for (; *text; text++)
		value = (value ^ (uint8_t)*text) * 16777619U;
	return value;
}

char *text_put(char *at, const char *end, const char *text)
{
	size_t length = strlen(text), room = (size_t)(end - at) - 1;

	if (length > room)
		length = room;
	memcpy(at, text, length);
	at[length] = '\0';
	return at + length;
}

char *text_put_decimal(char *at, const char *end, uint32_t value)
{
	char digits[11] = "";
	size_t first = sizeof(digits) - 1;

	do {
		digits[--first] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return text_put(at, end, digits + first);
}

const char *text_quote(const char *text, char ret[TEXT_QUOTE_SIZE])
{
	/* Room is kept for the closing mark, the dots and the NUL. */
	size_t length = 1, limit = TEXT_QUOTE_SIZE - sizeof("\"...");
	char piece[ESCAPE_SIZE];

	ret[0] = '"';
	while (*text) {
		size_t taken = escape(text, piece), extra = strlen(piece);

		if (length + extra > limit)
			break;
		memcpy(ret + length, piece, extra);
		length += extra;
		text += taken;
	}
	snprintf(ret + length, TEXT_QUOTE_SIZE - length, *text ? "\"..." : "\"");
	return ret;
}

/* How much of the beginning stands for itself in JSON. */
static size_t plain_length(const char *text)
{
	size_t length = 0;

	while (text[length] >= 0x20 && text[length] < 0x7f && text[length] != '"' &&
	       text[length] != '\\')
		length++;
	return length;
}

void text_print_json(const char *text, struct buffer *out)
{
	char piece[ESCAPE_SIZE];

	buffer_append_u8(out, '"');
	while (*text) {
		size_t plain = plain_length(text);

		buffer_append(out, text, plain);
		text += plain;
		if (!*text)
			break;
		text += escape(text, piece);
		buffer_append_text(out, piece);
	}
	buffer_append_u8(out, '"');
}
