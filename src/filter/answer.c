/* answer.c: the filter's own answers, complete; pure. */
#include "filter/answer.h"

#include "base/text.h"

static const char *phrase(unsigned status)
{
	static const struct {
		unsigned status;
		const char *phrase;
	} phrases[] = {
		{ 200, "OK" },
		{ 400, "Bad Request" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 408, "Request Timeout" },
		{ 417, "Expectation Failed" },
		{ 421, "Misdirected Request" },
		{ 431, "Request Header Fields Too Large" },
		{ 501, "Not Implemented" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
		{ 505, "HTTP Version Not Supported" },
	};

	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++)
		if (phrases[i].status == status)
			return phrases[i].phrase;
	return "Error";
}

/* A field's value is printable ASCII (RFC 9110, section 5.5), whatever a rule was made of. */
static void append_field(const char *name, const char *value, struct buffer *out)
{
	buffer_printf(out, "%s: ", name);
	for (; *value; value++)
		buffer_append_u8(out, *value < 0x20 || *value > 0x7e ? '?' : (uint8_t)*value);
	buffer_append_text(out, "\r\n");
}

static void append_head(unsigned status, struct answer_form form, const char *type,
			const struct buffer *body, struct buffer *out)
{
	buffer_printf(out,
		      "HTTP/1.1 %u %s\r\n"
		      "Content-Type: %s\r\n"
		      "Content-Length: %zu\r\n"
		      "Cache-Control: no-store\r\n"
		      "Connection: %s\r\n",
		      status, phrase(status), type, body->length,
		      form.keep_alive ? "keep-alive" : "close");
}

static void append_body(struct answer_form form, struct buffer *body, struct buffer *out)
{
	buffer_append_text(out, "\r\n");
	if (!form.head_only)
		buffer_append(out, body->data, body->length);
	buffer_free(body);
}

unsigned answer_denied_status(enum denial denial)
{
	return denial == DENIAL_HIDDEN ? 404 : 403;
}

void answer_denied(enum denial denial, const struct decision *decision, struct answer_form form,
		   struct buffer *out)
{
	struct buffer body = { 0 };

	if (denial == DENIAL_HIDDEN) {
		buffer_append_text(&body, "Not Found\n");
		append_head(404, form, "text/plain", &body, out);
		append_body(form, &body, out);
		return;
	}
	buffer_append_text(&body, "{\"error\":\"denied by policy, which is no fault of the "
				  "network\",\"decision\":\"block\",\"rule\":");
	text_print_json(decision->rule, &body);
	buffer_append_text(&body, ",\"reason\":");
	text_print_json(decision->reason, &body);
	buffer_append_text(&body, "}\n");
	append_head(403, form, "application/json", &body, out);
	append_field("X-Egressfw-Decision", verdict_name(VERDICT_BLOCK), out);
	append_field("X-Egressfw-Rule", decision->rule, out);
	append_body(form, &body, out);
}

void answer_checked(struct buffer *out)
{
	buffer_append_text(out, "HTTP/1.1 204 No Content\r\n"
				"Cache-Control: no-store\r\n"
				"Connection: close\r\n\r\n");
}

void answer_unlogged(const char *cause, const char *reason, struct buffer *out)
{
	const struct answer_form form = { .keep_alive = false };
	struct buffer body = { 0 };

	buffer_append_text(&body, "{\"error\":");
	text_print_json(reason, &body);
	buffer_append_text(&body, "}\n");
	append_head(503, form, "application/json", &body, out);
	append_field("X-Egressfw-Log", cause, out);
	append_body(form, &body, out);
}

unsigned answer_final_status(const struct http_head *head)
{
	return http_text_is(head->method, "TRACE") ? 200 : 204;
}

static void append_received(const struct http_head *head, struct buffer *out)
{
	static const char *const secret[] = { "authorization", "cookie", "proxy-authorization" };

	buffer_append(out, head->method.text, head->method.length);
	buffer_append_u8(out, ' ');
	buffer_append(out, head->target.text, head->target.length);
	buffer_printf(out, " HTTP/1.%u\r\n", head->minor);
	for (size_t i = 0; i < head->count; i++) {
		const struct http_field *field = &head->fields[i];
		bool is_secret = false;

		for (size_t j = 0; j < sizeof(secret) / sizeof(*secret); j++)
			is_secret = is_secret || http_text_is(field->name, secret[j]);
		if (is_secret)
			continue;
		buffer_append(out, field->name.text, field->name.length);
		buffer_append_text(out, ": ");
		buffer_append(out, field->value.text, field->value.length);
		buffer_append_text(out, "\r\n");
	}
	buffer_append_text(out, "\r\n");
}

void answer_final(const struct http_head *head, struct answer_form form, struct buffer *out)
{
	struct buffer body = { 0 };

	if (answer_final_status(head) == 204) {
		buffer_printf(out,
			      "HTTP/1.1 204 No Content\r\n"
			      "Cache-Control: no-store\r\n"
			      "Connection: %s\r\n\r\n",
			      form.keep_alive ? "keep-alive" : "close");
		return;
	}
	append_received(head, &body);
	append_head(200, form, "message/http", &body, out);
	append_body(form, &body, out);
}

void answer_failed(unsigned status, const char *reason, struct answer_form form, struct buffer *out)
{
	struct buffer body = { 0 };

	buffer_append_text(&body, "{\"error\":");
	text_print_json(reason, &body);
	buffer_append_text(&body, "}\n");
	append_head(status, form, "application/json", &body, out);
	append_body(form, &body, out);
}
