/* document.c: from bytes to JSON values, and sentences about what is wrong with them. */
#include "policy/document.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/nearest.h"

#include <stdio.h>
#include <string.h>

struct sentence {
	enum json_error_code code;
	const char *text;
};

static const char *sentence_of(enum json_error_code code)
{
	static const struct sentence sentences[] = {
		{ json_error_invalid_utf8, "the text is not UTF-8" },
		{ json_error_premature_end_of_input, "the text ends too early" },
		{ json_error_end_of_input_expected, "there is text after the end of the policy" },
		{ json_error_null_character, "a string holds \\u0000" },
		{ json_error_null_byte_in_key, "a key holds \\u0000" },
		{ json_error_duplicate_key, "a key is there twice in one object" },
		{ json_error_numeric_overflow, "a number is too large" },
		{ json_error_stack_overflow, "the text is nested too deeply" },
	};

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (sentences[i].code == code)
			return sentences[i].text;
	return "the text is not JSON";
}

/* Puts what the library found at the place into *ret, without its quotation marks. */
static bool find_place(const json_error_t *error, char ret[JSON_ERROR_TEXT_LENGTH])
{
	const char *start = strstr(error->text, " near '");
	size_t length;

	if (!start)
		return false;
	start += strlen(" near '");
	length = strlen(start);
	if (length && start[length - 1] == '\'')
		length--;
	if (length > 1 && start[0] == '"' && start[length - 1] == '"') {
		start++;
		length -= 2;
	}
	snprintf(ret, JSON_ERROR_TEXT_LENGTH, "%.*s", (int)length, start);
	return length > 0;
}

static void explain(const json_error_t *error, struct err *err)
{
	char place[JSON_ERROR_TEXT_LENGTH], quoted[TEXT_QUOTE_SIZE];
	const char *sentence;

	if (json_error_code(error) == json_error_out_of_memory)
		memory_exhausted();
	sentence = sentence_of(json_error_code(error));
	if (find_place(error, place))
		err_set(err, "line %d, column %d: %s, near %s", error->line, error->column,
			sentence, text_quote(place, quoted));
	else
		err_set(err, "line %d, column %d: %s", error->line, error->column, sentence);
}

static const char *describe(const json_t *value, char ret[TEXT_QUOTE_SIZE])
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return text_quote(json_string_value(value), ret);
	case JSON_INTEGER:
		snprintf(ret, TEXT_QUOTE_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		return ret;
	case JSON_REAL:
		snprintf(ret, TEXT_QUOTE_SIZE, "%.10g, written with a fraction or an exponent",
			 json_real_value(value));
		return ret;
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_TRUE:
		return "true";
	case JSON_FALSE:
		return "false";
	case JSON_NULL:
		return "null";
	}
	return "another type";
}

enum { LOAD_FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY };

/* Without the long list, if there is one and the rest can be read. */
static json_t *load_rest(const char *text, size_t length, const char *list_key,
			 struct long_list *ret_list)
{
	struct buffer rest;
	json_t *root;

	if (!long_list_cut(text, length, list_key, LONG_LIST_LEAST, ret_list, &rest))
		return NULL;
	root = json_loadb((const char *)rest.data, rest.length, LOAD_FLAGS, NULL);
	buffer_free(&rest);
	return root;
}

bool document_read(const char *text, size_t length, const char *list_key, json_t **ret,
		   struct long_list *ret_list, struct err *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *nul = memchr(text, '\0', length);
	json_error_t error;
	char quoted[TEXT_QUOTE_SIZE];
	json_t *root;
	size_t blank = 0;

	if (nul) {
		err_set(err, "byte %zu is NUL; a policy is text", (size_t)(nul - text) + 1);
		return false;
	}
	if (length >= 3 && !memcmp(text, byte_order_mark, 3)) {
		err_set(err,
			"the text begins with a byte order mark; save it as UTF-8 without one");
		return false;
	}
	while (blank < length && strchr(" \t\r\n", text[blank]))
		blank++;
	if (blank == length) {
		err_set(err, "the policy is empty; expected a JSON object");
		return false;
	}
	root = load_rest(text, length, list_key, ret_list);
	if (!root) {
		/* Read whole, errors are told with their place in the text. */
		ret_list->count = 0;
		root = json_loadb(text, length, LOAD_FLAGS, &error);
	}
	if (!root) {
		explain(&error, err);
		return false;
	}
	if (!json_is_object(root)) {
		err_set(err, "expected a JSON object, found %s", describe(root, quoted));
		json_decref(root);
		return false;
	}
	*ret = root;
	return true;
}

bool document_unexpected(const char *path, const char *expected, const json_t *found,
			 struct err *err)
{
	char description[TEXT_QUOTE_SIZE];

	err_set(err, "%s%sexpected %s, found %s", path ? path : "", path ? ": " : "", expected,
		describe(found, description));
	return false;
}

bool document_number(const char *path, const json_t *value, const char *expected, uint32_t first,
		     uint32_t last, uint32_t *ret, struct err *err)
{
	const char *text = json_string_value(value);
	char quoted[TEXT_QUOTE_SIZE];
	json_int_t number = json_integer_value(value);

	if (text && text_all_digits(text, strlen(text))) {
		err_set(err, "%s%s%s is a string; write it as a number, without quotation marks",
			path ? path : "", path ? ": " : "", text_quote(text, quoted));
		return false;
	}
	if (!json_is_integer(value) || number < (json_int_t)first || number > (json_int_t)last)
		return document_unexpected(path, expected, value, err);
	*ret = (uint32_t)number;
	return true;
}

bool document_word(const char *path, const json_t *value, const char *const *words, size_t count,
		   size_t *ret, struct err *err)
{
	const char *text = json_string_value(value), *meant;
	struct buffer expected = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (text && !strcmp(text, words[i])) {
			buffer_free(&expected);
			*ret = i;
			return true;
		}
		if (i)
			buffer_append_text(&expected, i + 1 < count ? ", " : " or ");
		buffer_printf(&expected, "\"%s\"", words[i]);
	}
	document_unexpected(path, buffer_string(&expected), value, err);
	buffer_free(&expected);
	meant = text ? nearest(text, words, count) : NULL;
	if (meant)
		err_append(err, "; did you mean \"%s\"?", meant);
	return false;
}

/*
 * What other formats call a field, which may be spelt like another one of ours; else the nearest.
 */
static const char *elsewhere(const char *key, const char *const *names, size_t count)
{
	static const char *const others[][2] = {
		{ "blocked_hosts", "blocked_urls" },    { "blocked_domains", "blocked_urls" },
		{ "denied_hosts", "blocked_urls" },     { "denied_domains", "blocked_urls" },
		{ "allowed_domains", "allowed_hosts" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		for (size_t j = 0; j < count; j++)
			if (!strcmp(key, others[i][0]) && !strcmp(names[j], others[i][1]))
				return names[j];
	return nearest(key, names, count);
}

bool document_unknown_key(const char *path, const char *key, const char *const *names, size_t count,
			  struct err *err)
{
	const char *meant = elsewhere(key, names, count);
	char quoted[TEXT_QUOTE_SIZE];

	err_set(err, "%s%sunknown field %s", path ? path : "", path ? ": " : "",
		text_quote(key, quoted));
	if (meant)
		err_append(err, "; did you mean \"%s\"?", meant);
	else
		err_append(err, "; egressfw-policy(5) lists the fields");
	return false;
}
