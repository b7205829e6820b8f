/* http_text.c: tokens, lists and fields of a head, for those who ask; faults, for those who find one. */
#include "filter/http_head.h"

#include "base/memory.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

bool http_fault_set(struct http_fault *fault, unsigned status, const char *reason)
{
	*fault = (struct http_fault){ status, reason };
	return false;
}

bool http_text_is(struct http_text text, const char *word)
{
	return text.length == strlen(word) && !strncasecmp(text.text, word, text.length);
}

char *http_text_copy(struct http_text text)
{
	return memory_copy_text(text.text, text.length);
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t';
}

bool http_list_next(struct http_text *rest, struct http_text *ret)
{
	struct http_text element = { rest->text, 0 };

	while (rest->length && (is_blank(rest->text[0]) || rest->text[0] == ',')) {
		rest->text++;
		rest->length--;
	}
	element.text = rest->text;
	while (rest->length && rest->text[0] != ',') {
		rest->text++;
		rest->length--;
		element.length++;
	}
	while (element.length && is_blank(element.text[element.length - 1]))
		element.length--;
	*ret = element;
	return element.length > 0;
}

const struct http_field *http_head_find(const struct http_head *head, const char *name,
					const struct http_field *after)
{
	for (size_t i = after ? (size_t)(after - head->fields) + 1 : 0; i < head->count; i++)
		if (http_text_is(head->fields[i].name, name))
			return &head->fields[i];
	return NULL;
}

bool http_head_lists(const struct http_head *head, const char *name, const char *word)
{
	const struct http_field *field = NULL;
	struct http_text rest, element;

	while ((field = http_head_find(head, name, field))) {
		rest = field->value;
		while (http_list_next(&rest, &element))
			if (http_text_is(element, word))
				return true;
	}
	return false;
}
