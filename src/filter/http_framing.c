/* http_framing.c: how long a message's body is, where there is one answer. */
#include "filter/http_framing.h"

#include "base/text.h"

/* Digits alone, and no more than fit. */
static bool read_length(struct http_text text, uint64_t *ret)
{
	uint64_t length = 0;

	if (!text_all_digits(text.text, text.length) || text.length > 18)
		return false;
	for (size_t i = 0; i < text.length; i++)
		length = length * 10 + (uint64_t)(text.text[i] - '0');
	*ret = length;
	return true;
}

/*
 * What stands behind a value is no part of it (RFC 9110, section 5.5), but llhttp takes blanks
 * alone for such.
 */
static void blank_behind(struct http_head *head, const struct http_field *field)
{
	size_t at =
		(size_t)(field->value.text + field->value.length - (const char *)head->octets.data);

	for (; at < head->octets.length &&
	       (head->octets.data[at] == '\t' || head->octets.data[at] == ' ');
	     at++)
		head->octets.data[at] = ' ';
}

/* One coding, which is "chunked"; all others are unknown here, and none may stand around it. */
static bool check_coding(const struct http_head *head, const struct http_field *field,
			 struct http_fault *ret_fault)
{
	struct http_text rest = field->value, coding, other;

	if (head->minor == 0)
		return http_fault_set(ret_fault, 400, "HTTP/1.0 knows no Transfer-Encoding");
	if (http_head_find(head, "transfer-encoding", field))
		return http_fault_set(ret_fault, 400, "there is more than one Transfer-Encoding");
	if (http_text_is(field->value, "chunked"))
		return true;
	if (!http_list_next(&rest, &coding))
		return http_fault_set(ret_fault, 400, "Transfer-Encoding is empty");
	if (http_list_next(&rest, &other) && http_text_is(coding, "chunked"))
		return http_fault_set(ret_fault, 400,
				      "\"chunked\" is not the last transfer coding");
	if (http_text_is(coding, "chunked"))
		return http_fault_set(ret_fault, 400, "Transfer-Encoding is more than one word");
	return http_fault_set(ret_fault, 501, "the transfer coding is another than \"chunked\"");
}

/* Answers that have no body, whatever their fields say. */
static bool is_bare(const struct http_head *head, bool to_head)
{
	return head->kind == HTTP_KIND_ANSWER &&
	       (to_head || head->status / 100 == 1 || head->status == 204 || head->status == 304);
}

/* Servers that know a field by a name without hyphens take these for the others. */
static bool has_lookalike(const struct http_head *head)
{
	return http_head_find(head, "content_length", NULL) ||
	       http_head_find(head, "transfer_encoding", NULL);
}

bool http_framing_read(struct http_head *head, bool to_head, struct http_fault *ret_fault)
{
	const struct http_field *length = http_head_find(head, "content-length", NULL);
	const struct http_field *coding = http_head_find(head, "transfer-encoding", NULL);

	if (length && coding)
		return http_fault_set(ret_fault, 400,
				      "there are both Content-Length and Transfer-Encoding");
	if (length && http_head_find(head, "content-length", length))
		return http_fault_set(ret_fault, 400, "there is more than one Content-Length");
	if (length && !read_length(length->value, &head->length))
		return http_fault_set(ret_fault, 400, "Content-Length is no number");
	if (head->kind == HTTP_KIND_REQUEST && has_lookalike(head))
		return http_fault_set(ret_fault, 400,
				      "a field that frames is written with an underscore");
	if (coding && !check_coding(head, coding, ret_fault))
		return false;
	if (length || coding)
		blank_behind(head, length ? length : coding);
	head->has_length = length != NULL;
	if (is_bare(head, to_head))
		head->body = HTTP_BODY_NONE;
	else if (coding)
		head->body = HTTP_BODY_CHUNKED;
	else if (length)
		head->body = head->length ? HTTP_BODY_LENGTH : HTTP_BODY_NONE;
	else
		head->body =
			head->kind == HTTP_KIND_REQUEST ? HTTP_BODY_NONE : HTTP_BODY_UNTIL_CLOSE;
	return true;
}
