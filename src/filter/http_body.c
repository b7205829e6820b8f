/* http_body.c: llhttp, in its strict mode: the second reader of a head, and the one of its body. */
#include "filter/http_body.h"

#include "filter/http_hop.h"

#include <string.h>
#include <strings.h>

static bool refuse(struct http_body_reader *reader, unsigned status, const char *reason)
{
	if (!reader->fault.status)
		reader->fault = (struct http_fault){ status, reason };
	return false;
}

/* What stands between two pieces of a body: chunk sizes and trailer fields. */
static bool guard_framing(struct http_body_reader *reader, const char *end)
{
	for (; reader->framing < end; reader->framing++) {
		char octet = *reader->framing;

		if (reader->after_return != (octet == '\n'))
			return refuse(reader, 400, "a line between chunks does not end in CRLF");
		reader->after_return = octet == '\r';
		if (reader->after_line && (octet == ' ' || octet == '\t'))
			return refuse(reader, 400, "a trailer field is folded over lines");
		reader->after_line = octet == '\n';
		if (((uint8_t)octet < 0x20 && octet != '\t' && octet != '\r' && octet != '\n') ||
		    octet == 0x7f)
			return refuse(reader, 400, "a control character stands between chunks");
		if (++reader->framing_length > reader->limit)
			return refuse(reader, 431, "what stands between chunks is too large");
	}
	return true;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;

	/* What follows CONNECT and Upgrade is not llhttp's affair. */
	parser->upgrade = 0;
	if (reader->head->body == HTTP_BODY_NONE)
		parser->flags |= F_SKIPBODY;
	return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t length)
{
	struct http_body_reader *reader = parser->data;

	if (reader->head->body == HTTP_BODY_CHUNKED && !guard_framing(reader, at))
		return HPE_USER;
	reader->framing = at + length;
	reader->framing_length = 0;
	reader->after_line = false;
	buffer_append(reader->out, at, length);
	return 0;
}

static int on_chunk_header(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;

	reader->in_chunk = parser->content_length > 0;
	if (reader->in_chunk && !reader->plain)
		buffer_printf(reader->out, "%llx\r\n", (unsigned long long)parser->content_length);
	return 0;
}

static int on_chunk_complete(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;

	if (reader->in_chunk && !reader->plain)
		buffer_append_text(reader->out, "\r\n");
	return 0;
}

/* The fields of the head were read by http_head.c; only trailer fields are of interest. */
static bool is_trailer(const llhttp_t *parser)
{
	return (parser->flags & F_TRAILING) != 0;
}

static int on_name(llhttp_t *parser, const char *at, size_t length)
{
	struct http_body_reader *reader = parser->data;

	if (is_trailer(parser))
		buffer_append(&reader->trailers, at, length);
	return 0;
}

static int on_name_complete(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;

	if (!is_trailer(parser))
		return 0;
	/* Each is compared with whatever Connection names. */
	if (++reader->trailer_count > HTTP_FIELDS_MAX) {
		refuse(reader, 431, "there are more than 256 trailer fields");
		return HPE_USER;
	}
	reader->trailer_name = reader->trailers.length - reader->trailer_start;
	buffer_append_text(&reader->trailers, ": ");
	return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t length)
{
	return on_name(parser, at, length);
}

static int on_value_complete(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;
	struct http_text name;

	if (!is_trailer(parser))
		return 0;
	name.text = (const char *)reader->trailers.data + reader->trailer_start;
	name.length = reader->trailer_name;
	if (http_hop_drops_trailer(reader->head, name))
		reader->trailers.length = reader->trailer_start;
	else
		buffer_append_text(&reader->trailers, "\r\n");
	reader->trailer_start = reader->trailers.length;
	return 0;
}

static int on_message_complete(llhttp_t *parser)
{
	struct http_body_reader *reader = parser->data;

	reader->is_over = true;
	if (reader->head->body == HTTP_BODY_CHUNKED && !reader->plain) {
		buffer_append_text(reader->out, "0\r\n");
		buffer_append(reader->out, reader->trailers.data, reader->trailers.length);
		buffer_append_text(reader->out, "\r\n");
	}
	return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
	.on_header_field = on_name,
	.on_header_field_complete = on_name_complete,
	.on_header_value = on_value,
	.on_header_value_complete = on_value_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_chunk_header = on_chunk_header,
	.on_chunk_complete = on_chunk_complete,
	.on_message_complete = on_message_complete,
};

/* Whether llhttp has read the head as http_head.c has. */
static bool agrees(const llhttp_t *parser, const struct http_head *head)
{
	bool chunked = http_head_find(head, "transfer-encoding", NULL) != NULL;

	if (parser->http_major != 1 || parser->http_minor != head->minor ||
	    !(parser->flags & F_CHUNKED) == chunked ||
	    !(parser->flags & F_CONTENT_LENGTH) == head->has_length ||
	    (head->has_length && parser->content_length != head->length))
		return false;
	if (head->kind == HTTP_KIND_ANSWER)
		return parser->status_code == head->status;
	return head->method.length == strlen(llhttp_method_name(parser->method)) &&
	       !memcmp(head->method.text, llhttp_method_name(parser->method), head->method.length);
}

static bool check_head(struct http_body_reader *reader)
{
	const struct buffer *octets = &reader->head->octets;
	const char *text = (const char *)octets->data;
	llhttp_errno_t status = llhttp_execute(&reader->parser, text, octets->length);

	if (status == HPE_INVALID_METHOD && reader->head->kind == HTTP_KIND_REQUEST)
		return refuse(reader, 501, "the method is unknown");
	if (status != HPE_PAUSED)
		return refuse(reader, 400, "a second reader refuses the head");
	if (llhttp_get_error_pos(&reader->parser) != text + octets->length ||
	    !agrees(&reader->parser, reader->head))
		return refuse(reader, 400, "a second reader understands the head in another way");
	llhttp_resume(&reader->parser);
	return true;
}

bool http_body_start(struct http_body_reader *reader, const struct http_head *head, size_t limit,
		     struct http_fault *ret_fault)
{
	*reader = (struct http_body_reader){ .head = head, .limit = limit };
	llhttp_init(&reader->parser, head->kind == HTTP_KIND_REQUEST ? HTTP_REQUEST : HTTP_RESPONSE,
		    &callbacks);
	reader->parser.data = reader;
	if (check_head(reader))
		return true;
	*ret_fault = reader->fault;
	return false;
}

void http_body_free(struct http_body_reader *reader)
{
	buffer_free(&reader->trailers);
}

bool http_body_read(struct http_body_reader *reader, bool plain, const char *octets, size_t length,
		    size_t *ret_used, struct buffer *out, struct http_fault *ret_fault)
{
	const char *end = octets + length;
	size_t before = out->length;
	llhttp_errno_t status;

	reader->plain = plain;
	reader->out = out;
	reader->framing = octets;
	status = llhttp_execute(&reader->parser, octets, length);
	if (status != HPE_OK)
		end = llhttp_get_error_pos(&reader->parser);
	/* What stands in front of a fault of llhttp's comes first, however the octets were cut. */
	if (reader->head->body == HTTP_BODY_CHUNKED && !reader->fault.status)
		guard_framing(reader, end);
	if (status != HPE_OK && status != HPE_PAUSED)
		refuse(reader, 400, "the chunks of the body are malformed");
	*ret_used = (size_t)(end - octets);
	if (!reader->fault.status)
		return true;
	/* It may have come out as a whole before it was found to be none. */
	out->length = before;
	*ret_fault = reader->fault;
	return false;
}
