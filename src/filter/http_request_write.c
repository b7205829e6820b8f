/* http_request_write.c: the head with which a request is sent on. */
#include "filter/http_request.h"

#include "filter/http_hop.h"

/* "host", "host:port" or "[v6]:port", without the port of http. */
static void write_authority(const struct target *target, struct buffer *out)
{
	char address[ADDRESS_TEXT_SIZE];

	if (target->host[0])
		buffer_append_text(out, target->host);
	else if (target->address.family == FAMILY_IPV6)
		buffer_printf(out, "[%s]", address_format(&target->address, address));
	else
		buffer_append_text(out, address_format(&target->address, address));
	if (target->port == 80)
		return;
	buffer_append_u8(out, ':');
	buffer_append_decimal(out, target->port);
}

/* Fields that are written anew, or left out for this client. */
static bool is_ours(const struct http_request *request, struct http_text name)
{
	return http_text_is(name, "host") || (http_text_is(name, "expect") && !request->expects);
}

void http_request_write(const struct http_head *head, const struct http_request *request,
			struct buffer *out)
{
	buffer_append_text(out, request->method);
	buffer_append_u8(out, ' ');
	buffer_append_text(out, request->path);
	buffer_append_text(out, " HTTP/1.1\r\nHost: ");
	write_authority(&request->target, out);
	buffer_append_text(out, "\r\n");
	for (size_t i = 0; i < head->count; i++) {
		const struct http_field *field = &head->fields[i];

		if (is_ours(request, field->name) || http_hop_drops(head, field->name))
			continue;
		buffer_append(out, field->name.text, field->name.length);
		buffer_append_text(out, ": ");
		if (http_text_is(field->name, "content-length"))
			buffer_append_decimal(out, head->length);
		else if (request->is_limited && http_text_is(field->name, "max-forwards"))
			buffer_append_decimal(out, request->forwards - 1);
		else
			buffer_append(out, field->value.text, field->value.length);
		buffer_append_text(out, "\r\n");
	}
	if (head->body == HTTP_BODY_CHUNKED)
		buffer_append_text(out, "Transfer-Encoding: chunked\r\n");
	if (request->upgrades)
		buffer_append_text(out, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
	buffer_append_text(out, "\r\n");
}
