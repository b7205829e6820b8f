/* url_split.c: cuts a URL, or a host with what may follow it, into its pieces. */
#include "policy/url_split.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/host.h"
#include "policy/literal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void url_parts_free(struct url_parts *parts)
{
	free(parts->host);
	free(parts->path);
	free(parts->query);
	*parts = (struct url_parts){ 0 };
}

const char *url_scheme_name(enum scheme scheme)
{
	return scheme == SCHEME_HTTP ? "http" : "https";
}

uint16_t url_default_port(enum scheme scheme)
{
	return scheme == SCHEME_HTTP ? 80 : 443;
}

/* Some readers drop blanks and control characters, others keep them: nobody may send them. */
static bool check_characters(const char *text, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];

	for (const char *at = text; *at; at++) {
		if ((uint8_t)*at > 0x20 && *at != 0x7f)
			continue;
		err_set(err, "%s has a blank or a control character; write it percent-encoded",
			text_quote(text, quoted));
		return false;
	}
	return true;
}

/* Reads "http://" or "https://" off the front; what is no scheme is left alone. */
static bool read_scheme(const char *text, enum scheme *ret, const char **ret_rest, struct err *err)
{
	const char *end = strstr(text, "://");
	char quoted[TEXT_QUOTE_SIZE];
	size_t length;

	*ret = SCHEME_NONE;
	*ret_rest = text;
	if (!end || strcspn(text, "/?#") < (size_t)(end - text))
		return true;
	length = (size_t)(end - text);
	if (length == 4 && !strncasecmp(text, "http", length)) {
		*ret = SCHEME_HTTP;
	} else if (length == 5 && !strncasecmp(text, "https", length)) {
		*ret = SCHEME_HTTPS;
	} else {
		err_set(err, "%s has another scheme than http and https", text_quote(text, quoted));
		return false;
	}
	*ret_rest = end + 3;
	return true;
}

/* Reads "host", "host:port", "[v6]" or "[v6]:port". */
static bool read_authority(const char *text, const char *authority, size_t length,
			   struct url_parts *parts, struct err *err)
{
	autofree char *copy = memory_copy_text(authority, length);
	char quoted[TEXT_QUOTE_SIZE], *end;

	parts->bracketed = copy[0] == '[';
	end = parts->bracketed ? strchr(copy, ']') : strchrnul(copy, ':');
	if (!end || (parts->bracketed && end[1] && end[1] != ':')) {
		err_set(err, "%s has unmatched brackets", text_quote(text, quoted));
		return false;
	}
	if (end == copy + (parts->bracketed ? 1 : 0)) {
		err_set(err, "%s has no host", text_quote(text, quoted));
		return false;
	}
	if (!parts->bracketed && *end && strchr(end + 1, ':')) {
		err_set(err,
			"%s has more than one colon before its path; an IPv6 address stands in "
			"brackets",
			text_quote(text, quoted));
		return false;
	}
	parts->host = parts->bracketed ? memory_copy_text(copy + 1, (size_t)(end - copy - 1))
				       : memory_copy_text(copy, (size_t)(end - copy));
	if (parts->bracketed)
		end++;
	return !*end || literal_port(end + 1, strlen(end + 1), text, &parts->port, err);
}

bool url_split(const char *text, struct url_parts *ret, struct err *err)
{
	struct url_parts parts = { 0 };
	const char *authority, *end, *query;
	char quoted[TEXT_QUOTE_SIZE];

	if (!check_characters(text, err) || !read_scheme(text, &parts.scheme, &authority, err))
		return false;
	end = authority + strcspn(authority, "/?#");
	/* The value is not repeated here: it may hold a password. */
	if (memchr(authority, '@', (size_t)(end - authority))) {
		err_set(err, "the URL has user information before \"@\"; leave it out");
		return false;
	}
	if (strchr(text, '#')) {
		err_set(err,
			"%s has a fragment, which is never sent; leave out \"#\" and what follows",
			text_quote(text, quoted));
		return false;
	}
	if (!read_authority(text, authority, (size_t)(end - authority), &parts, err)) {
		url_parts_free(&parts);
		return false;
	}
	query = strchrnul(end, '?');
	if (query > end)
		parts.path = memory_copy_text(end, (size_t)(query - end));
	if (*query)
		parts.query = memory_copy_string(query + 1);
	*ret = parts;
	return true;
}

bool url_host_read(const struct url_parts *parts, struct url_host *ret, struct err *err)
{
	struct url_host host = { .name = "" };
	char quoted[TEXT_QUOTE_SIZE];

	if (parts->bracketed && !strchr(parts->host, ':')) {
		err_set(err, "%s stands in brackets and is no IPv6 address",
			text_quote(parts->host, quoted));
		return false;
	}
	if (parts->bracketed || address_parse(parts->host, &host.address)) {
		if (!literal_address(parts->host, &host.address, err))
			return false;
	} else if (!host_normalise(parts->host, host.name, err)) {
		return false;
	}
	*ret = host;
	return true;
}

bool url_host_is_elsewhere(const struct url_parts *parts, struct err *err)
{
	static const char own[] = "localhost";
	size_t length = strlen(parts->host), last = sizeof(own) - 1;
	char quoted[TEXT_QUOTE_SIZE];

	length -= length && parts->host[length - 1] == '.';
	if (length < last || strncasecmp(parts->host + length - last, own, last) != 0 ||
	    (length > last && parts->host[length - last - 1] != '.'))
		return true;
	err_set(err,
		"%s is this host itself, and does not tell at which address; write 127.0.0.1 or "
		"[::1], where the server listens",
		text_quote(parts->host, quoted));
	return false;
}
