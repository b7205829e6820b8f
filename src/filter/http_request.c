/* http_request.c: what a request asks for. */
#include "filter/http_request.h"

#include "base/memory.h"
#include "base/text.h"
#include "filter/http_hop.h"
#include "policy/url_split.h"

#include <stdlib.h>
#include <string.h>

void http_request_free(struct http_request *request)
{
	free(request->method);
	free(request->path);
	free(request->odd_path);
	target_free(&request->target);
	*request = (struct http_request){ 0 };
}

/* Host and port; the port 0 where none is written. */
static bool read_authority(const char *text, struct target *ret)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	struct url_host host;
	struct err err;

	/* A request has A-labels: what is beyond ASCII is not converted. */
	for (const char *at = text; *at; at++)
		if ((uint8_t)*at >= 0x80)
			return false;
	if (!url_split(text, &parts, &err) || parts.scheme != SCHEME_NONE || parts.path ||
	    parts.query || !url_host_read(&parts, &host, &err))
		return false;
	memcpy(ret->host, host.name, sizeof(ret->host));
	ret->address = host.address;
	ret->port = parts.port;
	return true;
}

static bool is_same_place(const struct target *named, const struct target *target)
{
	return !strcmp(named->host, target->host) &&
	       (target->host[0] || !address_compare(&named->address, &target->address)) &&
	       (named->port == 0 || named->port == target->port);
}

static void set_place(struct target *target, const struct target *place)
{
	memcpy(target->host, place->host, sizeof(target->host));
	target->address = place->address;
	target->port = place->port;
}

/* "host:port", and no port is implied (RFC 9110, section 9.3.6). */
static bool read_connect(const char *text, const struct http_head *head,
			 struct http_request *request, struct http_fault *ret_fault)
{
	if (!read_authority(text, &request->target) || !request->target.port)
		return http_fault_set(ret_fault, 400,
				      "CONNECT names no host and port in their one spelling");
	if (head->body != HTTP_BODY_NONE)
		return http_fault_set(ret_fault, 400, "CONNECT has a body");
	request->form = HTTP_FORM_AUTHORITY;
	return true;
}

/* The path as it is sent, and beside it the form in which rules see it. */
static void set_path(struct http_request *request, const char *path, const char *query)
{
	struct err err;

	request->path = query ? memory_format("%s?%s", path, query) : memory_copy_string(path);
	request->target.query = query ? memory_copy_string(query) : NULL;
	if (path_canonical(path, &request->target.path, &err))
		return;
	request->target.path = NULL;
	request->odd_path = memory_copy_string(path);
}

static bool read_absolute(const char *text, const struct target *tunnel,
			  struct http_request *request, struct http_fault *ret_fault)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	struct target named = { .host = "" };
	struct url_host host;
	struct err err;

	if (!url_split(text, &parts, &err) || parts.scheme == SCHEME_NONE)
		return http_fault_set(ret_fault, 400,
				      "the request line has no http URL in a form that is taken");
	if (parts.scheme == SCHEME_HTTPS)
		return http_fault_set(ret_fault, 400, "an https URL is asked for by CONNECT");
	if (!url_host_read(&parts, &host, &err))
		return http_fault_set(ret_fault, 400,
				      "the host of the URL is not in its one spelling");
	memcpy(named.host, host.name, sizeof(named.host));
	named.address = host.address;
	named.port = parts.port ? parts.port : url_default_port(SCHEME_HTTP);
	request->form = HTTP_FORM_ABSOLUTE;
	request->agrees = !tunnel || is_same_place(&named, tunnel);
	set_place(&request->target, tunnel ? tunnel : &named);
	/* OPTIONS for a whole server (RFC 9112, section 3.2.4). */
	if (!strcmp(request->method, "OPTIONS") && !parts.path && !parts.query)
		request->path = memory_copy_string("*");
	else
		set_path(request, parts.path ? parts.path : "/", parts.query);
	return true;
}

static bool read_origin(const char *text, const struct target *tunnel, struct http_request *request,
			struct http_fault *ret_fault)
{
	const char *query = strchr(text, '?');
	autofree char *path = query ? memory_copy_text(text, (size_t)(query - text)) : NULL;

	if (strchr(text, '#'))
		return http_fault_set(ret_fault, 400, "the request target has a fragment");
	request->form = HTTP_FORM_ORIGIN;
	set_place(&request->target, tunnel);
	if (text[0] == '/')
		set_path(request, path ? path : text, query ? query + 1 : NULL);
	else
		request->path = memory_copy_string(text);
	return true;
}

static bool read_target(const struct http_head *head, const struct target *tunnel,
			struct http_request *request, struct http_fault *ret_fault)
{
	autofree char *text = http_text_copy(head->target);
	bool bare = text[0] == '/' || (!strcmp(text, "*") && !strcmp(request->method, "OPTIONS"));

	if (!strcmp(request->method, "CONNECT")) {
		if (tunnel)
			return http_fault_set(ret_fault, 400, "CONNECT stands within a tunnel");
		return read_connect(text, head, request, ret_fault);
	}
	if (!bare)
		return read_absolute(text, tunnel, request, ret_fault);
	if (!tunnel)
		return http_fault_set(ret_fault, 400,
				      "the request line names no host: send an http URL");
	return read_origin(text, tunnel, request, ret_fault);
}

/* Exactly one Host in HTTP/1.1, at most one in HTTP/1.0 (RFC 9112, section 3.2). */
static bool read_host(const struct http_head *head, bool is_used, struct http_request *request,
		      struct http_fault *ret_fault)
{
	const struct http_field *host = http_head_find(head, "host", NULL);
	autofree char *text = host ? http_text_copy(host->value) : NULL;
	struct target named = { .host = "" };

	if (!host && head->minor > 0)
		return http_fault_set(ret_fault, 400, "there is no Host");
	if (host && http_head_find(head, "host", host))
		return http_fault_set(ret_fault, 400, "there is more than one Host");
	if (!host || !is_used)
		return true;
	if (!read_authority(text, &named))
		return http_fault_set(ret_fault, 400, "Host is no host in its one spelling");
	if (!is_same_place(&named, &request->target))
		request->agrees = false;
	return true;
}

static bool read_expect(const struct http_head *head, struct http_request *request,
			struct http_fault *ret_fault)
{
	const struct http_field *expect = http_head_find(head, "expect", NULL);

	if (!expect)
		return true;
	if (!http_text_is(expect->value, "100-continue") || http_head_find(head, "expect", expect))
		return http_fault_set(ret_fault, 417, "only 100-continue can be expected");
	/* HTTP/1.0 has no interim answers (RFC 9110, section 10.1.1). */
	request->expects = head->minor > 0;
	return true;
}

/* RFC 9110, section 7.6.2; with other methods it means nothing. */
static bool read_forwards(const struct http_head *head, struct http_request *request,
			  struct http_fault *ret_fault)
{
	const struct http_field *field = http_head_find(head, "max-forwards", NULL);
	uint64_t forwards = 0;

	if (!field || (strcmp(request->method, "OPTIONS") && strcmp(request->method, "TRACE")))
		return true;
	if (!text_all_digits(field->value.text, field->value.length) ||
	    http_head_find(head, "max-forwards", field))
		return http_fault_set(ret_fault, 400, "Max-Forwards is not one number");
	for (size_t i = 0; i < field->value.length && forwards < UINT32_MAX; i++)
		forwards = 10 * forwards + (uint64_t)(field->value.text[i] - '0');
	request->is_limited = true;
	request->forwards = forwards < UINT32_MAX ? (uint32_t)forwards : UINT32_MAX;
	return true;
}

static void read_connection(const struct http_head *head, struct http_request *request)
{
	request->keep_alive = head->minor > 0 && !http_head_lists(head, "connection", "close") &&
			      !http_head_lists(head, "proxy-connection", "close");
	request->upgrades = head->minor > 0 && head->body == HTTP_BODY_NONE &&
			    !strcmp(request->method, "GET") &&
			    http_head_lists(head, "connection", "upgrade") &&
			    http_head_lists(head, "upgrade", "websocket");
}

bool http_request_read(const struct http_head *head, const struct target *tunnel,
		       struct http_request *ret, struct http_fault *ret_fault)
{
	struct http_request request = { .method = http_text_copy(head->method), .agrees = true };

	if (!read_target(head, tunnel, &request, ret_fault) ||
	    !read_host(head, tunnel != NULL, &request, ret_fault) ||
	    !read_expect(head, &request, ret_fault) || !read_forwards(head, &request, ret_fault)) {
		http_request_free(&request);
		return false;
	}
	if (http_hop_is_hostile(head)) {
		http_request_free(&request);
		return http_fault_set(
			ret_fault, 400,
			"Connection names a field that frames or routes, or too many");
	}
	read_connection(head, &request);
	*ret = request;
	return true;
}
