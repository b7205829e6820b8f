/* http_head.c: the head of a request or an answer, line by line. */
#include "filter/http_head.h"

#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"
#include "filter/http_framing.h"

#include <stdlib.h>
#include <string.h>

void http_head_free(struct http_head *head)
{
	buffer_free(&head->octets);
	free(head->fields);
	free(head->named);
	*head = (struct http_head){ 0 };
}

/* A character of a token (RFC 9110, section 5.6.2). */
static bool is_token_character(char character)
{
	return text_is_letter(character) || text_is_digit(character) ||
	       (character && strchr("!#$%&'*+-.^_`|~", character));
}

static bool is_token(struct http_text text)
{
	for (size_t i = 0; i < text.length; i++)
		if (!is_token_character(text.text[i]))
			return false;
	return text.length > 0;
}

/* Cuts the text up to the first `end` off the front of `rest`; false where there is none. */
static bool cut(struct http_text *rest, char end, struct http_text *ret)
{
	const char *at = rest->length ? memchr(rest->text, end, rest->length) : NULL;

	if (!at)
		return false;
	*ret = (struct http_text){ rest->text, (size_t)(at - rest->text) };
	rest->text += ret->length + 1;
	rest->length -= ret->length + 1;
	return true;
}

static bool read_version(struct http_text text, struct http_head *head,
			 struct http_fault *ret_fault)
{
	if (text.length != 8 || memcmp(text.text, "HTTP/", 5) || !text_is_digit(text.text[5]) ||
	    text.text[6] != '.' || !text_is_digit(text.text[7]))
		return http_fault_set(ret_fault, 400, "the first line is no line of HTTP/1.1");
	if (text.text[5] != '1' || text.text[7] > '1')
		return http_fault_set(ret_fault, 505, "only HTTP/1.0 and HTTP/1.1 are understood");
	head->minor = (unsigned)(text.text[7] - '0');
	return true;
}

static bool read_request_line(struct http_text line, struct http_head *head,
			      struct http_fault *ret_fault)
{
	if (!cut(&line, ' ', &head->method) || !is_token(head->method) ||
	    !cut(&line, ' ', &head->target) || !head->target.length)
		return http_fault_set(ret_fault, 400, "the first line is no request line");
	for (size_t i = 0; i < head->target.length; i++)
		if (head->target.text[i] < 0x21 || head->target.text[i] > 0x7e)
			return http_fault_set(
				ret_fault, 400,
				"the request target has a character that is not ASCII");
	return read_version(line, head, ret_fault);
}

static bool read_status_line(struct http_text line, struct http_head *head,
			     struct http_fault *ret_fault)
{
	struct http_text version, code;

	if (!cut(&line, ' ', &version))
		return http_fault_set(ret_fault, 400, "the first line is no status line");
	if (!read_version(version, head, ret_fault))
		return false;
	/* The blank behind the code is often left out where there is no phrase. */
	if (!cut(&line, ' ', &code)) {
		code = line;
		line.length = 0;
	}
	if (code.length != 3 || !text_all_digits(code.text, 3) || code.text[0] < '1' ||
	    code.text[0] > '5')
		return http_fault_set(ret_fault, 400, "the status is no number from 100 to 599");
	for (size_t i = 0; i < 3; i++)
		head->status = head->status * 10 + (unsigned)(code.text[i] - '0');
	head->phrase = line;
	return true;
}

static bool read_field(struct http_text line, struct http_field *ret, struct http_fault *ret_fault)
{
	struct http_text name;

	if (line.text[0] == ' ' || line.text[0] == '\t')
		return http_fault_set(ret_fault, 400, "a header field is folded over lines");
	if (!cut(&line, ':', &name) || !is_token(name))
		return http_fault_set(ret_fault, 400, "a header line is no name, colon and value");
	while (line.length && (line.text[0] == ' ' || line.text[0] == '\t')) {
		line.text++;
		line.length--;
	}
	while (line.length &&
	       (line.text[line.length - 1] == ' ' || line.text[line.length - 1] == '\t'))
		line.length--;
	*ret = (struct http_field){ name, line };
	return true;
}

/* The next line without its CRLF; whether there is one that ends so and holds no other control. */
static bool take_line(struct cursor *cursor, struct http_text *ret)
{
	const uint8_t *line;
	size_t length;
	bool ended;

	if (!cursor_line(cursor, &line, &length, &ended) || !ended || !length ||
	    line[length - 1] != '\r')
		return false;
	for (size_t i = 0; i + 1 < length; i++)
		if ((line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
			return false;
	*ret = (struct http_text){ (const char *)line, length - 1 };
	return true;
}

static bool read_lines(struct http_head *head, struct http_fault *ret_fault)
{
	struct cursor cursor = cursor_over(head->octets.data, head->octets.length);
	struct http_text line;
	size_t room = 0;

	if (!take_line(&cursor, &line))
		return http_fault_set(ret_fault, 400,
				      "the first line has a control character, or no CRLF");
	if (!(head->kind == HTTP_KIND_REQUEST ? read_request_line(line, head, ret_fault)
					      : read_status_line(line, head, ret_fault)))
		return false;
	for (;;) {
		if (!take_line(&cursor, &line))
			return http_fault_set(ret_fault, 400,
					      "a header line has a control character, or no CRLF");
		if (!line.length)
			return true;
		if (head->count == HTTP_FIELDS_MAX)
			return http_fault_set(ret_fault, 431, "the head has more than 256 fields");
		if (head->count == room) {
			room = room ? 2 * room : 16;
			head->fields = memory_resize(head->fields, room, sizeof(*head->fields));
		}
		if (!read_field(line, &head->fields[head->count], ret_fault))
			return false;
		head->count++;
	}
}

static void collect_named(struct http_head *head)
{
	const struct http_field *field = NULL;
	struct http_text rest, element;
	size_t room = 0;

	while ((field = http_head_find(head, "connection", field))) {
		rest = field->value;
		while (head->named_count <= HTTP_NAMED_MAX && http_list_next(&rest, &element)) {
			if (head->named_count == room) {
				room = room ? 2 * room : 4;
				head->named =
					memory_resize(head->named, room, sizeof(*head->named));
			}
			head->named[head->named_count++] = element;
		}
	}
}

bool http_head_read(enum http_kind kind, struct buffer *octets, bool to_head, struct http_head *ret,
		    struct http_fault *ret_fault)
{
	struct http_head head = { .kind = kind, .octets = *octets };

	*octets = (struct buffer){ 0 };
	if (!read_lines(&head, ret_fault) || !http_framing_read(&head, to_head, ret_fault)) {
		http_head_free(&head);
		return false;
	}
	collect_named(&head);
	*ret = head;
	return true;
}
