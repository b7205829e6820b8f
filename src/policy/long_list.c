/* long_list.c: a long list of plain strings, taken out of a policy's text before it is parsed. */
#include "policy/long_list.h"

#include <string.h>

/*
 * Theory of operation. The JSON library makes an object of every string, which for a list of tens
 * of thousands of addresses costs more time than all of the parsing besides, and more memory than
 * the ruleset. An array of plain strings is a regular language, though: it is recognised here as a
 * whole, and replaced by an empty array, which is valid wherever the other one was. All else, the
 * document's own syntax among it, is left to the library.
 */

static void skip_blanks(struct cursor *rest)
{
	while (cursor_left(rest)) {
		uint8_t byte = rest->data[rest->position];

		if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
			return;
		cursor_take(rest, 1);
	}
}

/* Takes the byte, and blanks in front of it, if it is next. */
static bool take(struct cursor *rest, uint8_t wanted)
{
	skip_blanks(rest);
	if (!cursor_left(rest) || rest->data[rest->position] != wanted)
		return false;
	cursor_take(rest, 1);
	return true;
}

/* Where a plain string ends that begins here; `within` where it does not. */
static size_t plain_length(const uint8_t *text, size_t within)
{
	for (size_t i = 0; i < within; i++) {
		if (text[i] == '"')
			return i;
		if (text[i] < 0x20 || text[i] > 0x7e || text[i] == '\\')
			break;
	}
	return within;
}

static bool take_plain_string(struct cursor *rest, const uint8_t **ret, size_t *ret_length)
{
	const uint8_t *text;
	size_t within, length;

	if (!take(rest, '"'))
		return false;
	text = rest->data + rest->position;
	within = cursor_left(rest);
	if (within > LONG_LIST_ENTRY_SIZE)
		within = LONG_LIST_ENTRY_SIZE;
	length = plain_length(text, within);
	if (length == within)
		return false;
	cursor_take(rest, length + 1);
	*ret = text;
	*ret_length = length;
	return true;
}

/* What stands between the brackets of an array of plain strings, the first of which is next. */
static bool take_entries(struct cursor *rest, struct long_list *ret)
{
	size_t start = rest->position, length;
	const uint8_t *text;

	ret->count = 0;
	do {
		if (!take_plain_string(rest, &text, &length))
			return false;
		ret->count++;
	} while (take(rest, ','));
	ret->entries = cursor_over(rest->data + start, rest->position - start);
	return take(rest, ']');
}

/* A string whose opening quotation mark is taken; false if it does not end. */
static bool take_string(struct cursor *rest, const uint8_t **ret, size_t *ret_length)
{
	size_t start = rest->position;
	uint8_t byte;

	while (cursor_u8(rest, &byte)) {
		if (byte == '"') {
			*ret = rest->data + start;
			*ret_length = rest->position - start - 1;
			return true;
		}
		if (byte == '\\' && !cursor_u8(rest, &byte))
			break;
	}
	return false;
}

/* Behind the colon of the member, if there is one. */
static bool find_member(struct cursor *rest, const char *key)
{
	size_t depth = 0, length;
	const uint8_t *text;
	uint8_t byte;

	while (cursor_u8(rest, &byte)) {
		if (byte == '{' || byte == '[')
			depth++;
		else if (byte == '}' || byte == ']')
			depth--;
		if (byte != '"')
			continue;
		if (!take_string(rest, &text, &length))
			return false;
		if (depth == 1 && length == strlen(key) && !memcmp(text, key, length) &&
		    take(rest, ':'))
			return true;
	}
	return false;
}

bool long_list_cut(const char *text, size_t length, const char *key, size_t least,
		   struct long_list *ret, struct buffer *ret_rest)
{
	struct cursor rest = cursor_over(text, length);
	struct buffer without = { 0 };
	struct long_list list;
	size_t opening;

	if (!find_member(&rest, key) || !take(&rest, '['))
		return false;
	opening = rest.position;
	if (!take_entries(&rest, &list) || list.count < least)
		return false;
	buffer_append(&without, text, opening);
	buffer_append_text(&without, "]");
	buffer_append(&without, text + rest.position, cursor_left(&rest));
	*ret = list;
	*ret_rest = without;
	return true;
}

bool long_list_next(struct long_list *list, char ret[LONG_LIST_ENTRY_SIZE])
{
	const uint8_t *text;
	size_t length;

	if (!list->count || !take_plain_string(&list->entries, &text, &length))
		return false;
	take(&list->entries, ',');
	list->count--;
	memcpy(ret, text, length);
	ret[length] = '\0';
	return true;
}
