/* words.c: the lines of the kernel's and the administrator's texts, word by word. */
#include "doctor/words.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>

static bool is_blank(char character)
{
	return character == ' ' || character == '\t' || character == '\r';
}

bool line_next(struct cursor *text, struct cursor *ret)
{
	const uint8_t *line;
	size_t length;
	bool ended;

	if (!cursor_line(text, &line, &length, &ended))
		return false;
	*ret = cursor_over(line, length);
	return true;
}

struct word word_rest(struct cursor *line)
{
	size_t left = cursor_left(line);
	const char *text = (const char *)cursor_take(line, left);

	return word_trim((struct word){ text, left });
}

struct word word_trim(struct word word)
{
	while (word.length && is_blank(*word.text)) {
		word.text++;
		word.length--;
	}
	while (word.length && is_blank(word.text[word.length - 1]))
		word.length--;
	return word;
}

bool word_next(struct cursor *line, struct word *ret)
{
	struct cursor ahead = *line;
	struct word rest = word_rest(&ahead);
	size_t length = 0;

	if (!rest.length)
		return false;
	while (length < rest.length && !is_blank(rest.text[length]))
		length++;
	/* What was trimmed in front stands between the cursor and the word. */
	cursor_take(line, (size_t)(rest.text - (const char *)line->data) - line->position + length);
	*ret = (struct word){ rest.text, length };
	return true;
}

bool part_next(struct cursor *line, char separator, struct word *ret)
{
	size_t left = cursor_left(line), length;
	const char *text, *end;

	if (!left)
		return false;
	text = (const char *)line->data + line->position;
	end = memchr(text, separator, left);
	length = end ? (size_t)(end - text) : left;
	cursor_take(line, end ? length + 1 : length);
	*ret = (struct word){ text, length };
	return true;
}

bool word_is(struct word word, const char *text)
{
	return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

bool word_begins(struct word word, const char *text)
{
	return word.length >= strlen(text) && !memcmp(word.text, text, strlen(text));
}

bool word_number(struct word word, unsigned base, uint64_t limit, uint64_t *ret)
{
	uint64_t value = 0;

	if (!word.length)
		return false;
	for (size_t i = 0; i < word.length; i++) {
		int digit = text_hex_value(word.text[i]);

		if (digit < 0 || (unsigned)digit >= base ||
		    value > (UINT64_MAX - (uint64_t)digit) / base)
			return false;
		value = value * base + (uint64_t)digit;
		if (value > limit)
			return false;
	}
	*ret = value;
	return true;
}

char *word_copy(struct word word)
{
	size_t length = word.length ? strnlen(word.text, word.length) : 0;
	char *copy = memory_allocate(length + 1, 1);

	if (length)
		memcpy(copy, word.text, length);
	return copy;
}
