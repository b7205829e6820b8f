/* http_answer.c: the head with which a server's answer is sent on to the client. */
#include "filter/http_answer.h"

#include "filter/http_hop.h"

static bool plan_interim(const struct http_head *answer, const struct http_head *request_head,
			 const struct http_request *request, struct http_relay_plan *ret,
			 struct http_fault *ret_fault)
{
	*ret = (struct http_relay_plan){ .relay = HTTP_RELAY_INTERIM,
					 .keep_client = true,
					 .keep_server = true };
	if (answer->status != 101) {
		if (request_head->minor == 0)
			ret->relay = HTTP_RELAY_SILENT;
		return true;
	}
	if (!request->upgrades || !http_head_lists(answer, "upgrade", "websocket"))
		return http_fault_set(ret_fault, 502,
				      "the server changes the protocol without being asked");
	ret->relay = HTTP_RELAY_UPGRADE;
	return true;
}

bool http_answer_plan(const struct http_head *answer, const struct http_head *request_head,
		      const struct http_request *request, bool whole, struct http_relay_plan *ret,
		      struct http_fault *ret_fault)
{
	if (http_hop_is_hostile(answer))
		return http_fault_set(
			ret_fault, 502,
			"the server's Connection names a field that frames, or too many");
	if (answer->status < 200)
		return plan_interim(answer, request_head, request, ret, ret_fault);
	*ret = (struct http_relay_plan){
		.relay = HTTP_RELAY_FINAL,
		.keep_client =
			request->keep_alive && whole && answer->body != HTTP_BODY_UNTIL_CLOSE,
		.keep_server = whole && answer->minor > 0 &&
			       !http_head_lists(answer, "connection", "close") &&
			       answer->body != HTTP_BODY_UNTIL_CLOSE,
		.plain = request_head->minor == 0 && answer->body == HTTP_BODY_CHUNKED,
	};
	return true;
}

/* A length where there can be no body would be read as one (RFC 9110, section 8.6). */
static bool has_no_length(const struct http_head *answer)
{
	return answer->status < 200 || answer->status == 204;
}

static void write_field(const struct http_head *answer, const struct http_field *field,
			struct buffer *out)
{
	bool is_length = http_text_is(field->name, "content-length");

	if (http_hop_drops(answer, field->name) || (is_length && has_no_length(answer)))
		return;
	buffer_append(out, field->name.text, field->name.length);
	buffer_append_text(out, ": ");
	if (is_length)
		buffer_append_decimal(out, answer->length);
	else
		buffer_append(out, field->value.text, field->value.length);
	buffer_append_text(out, "\r\n");
}

void http_answer_write(const struct http_head *answer, const struct http_relay_plan *plan,
		       struct buffer *out)
{
	if (plan->relay == HTTP_RELAY_SILENT)
		return;
	buffer_append_text(out, "HTTP/1.1 ");
	buffer_append_decimal(out, answer->status);
	buffer_append_u8(out, ' ');
	buffer_append(out, answer->phrase.text, answer->phrase.length);
	buffer_append_text(out, "\r\n");
	for (size_t i = 0; i < answer->count; i++)
		write_field(answer, &answer->fields[i], out);
	if (answer->body == HTTP_BODY_CHUNKED && !plan->plain)
		buffer_append_text(out, "Transfer-Encoding: chunked\r\n");
	if (plan->relay == HTTP_RELAY_UPGRADE)
		buffer_append_text(out, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
	else if (!plan->keep_client)
		buffer_append_text(out, "Connection: close\r\n");
	buffer_append_text(out, "\r\n");
}
