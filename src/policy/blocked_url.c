/* blocked_url.c: one entry of `blocked_urls`, from text, and what it covers. */
#include "policy/blocked_url.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/host.h"
#include "policy/literal.h"
#include "policy/query.h"
#include "policy/url_split.h"

#include <stdlib.h>
#include <string.h>

void blocked_url_free(struct blocked_url *blocked)
{
	free(blocked->host);
	free(blocked->path);
	query_free(blocked->parameters, blocked->parameter_count);
	free(blocked->text);
	*blocked = (struct blocked_url){ 0 };
}

bool blocked_url_is_whole(const struct blocked_url *blocked)
{
	return !strcmp(blocked->path, "/") && blocked->parameter_count == 0;
}

/* Slips that would otherwise read as something else. */
static bool check_form(const char *text, const struct url_parts *parts, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], host_quoted[TEXT_QUOTE_SIZE];
	struct address address;

	text_quote(text, quoted);
	if (!strncmp(parts->host, "*.", 2)) {
		err_set(err, "%s has a star; a blocked host covers its subdomains, so write %s",
			quoted, text_quote(parts->host + 2, host_quoted));
		return false;
	}
	if (parts->scheme != SCHEME_NONE)
		return true;
	if (parts->port) {
		err_set(err,
			"%s has a port without a scheme; did you mean \"https://\" in front of it?",
			quoted);
		return false;
	}
	if (parts->path && text_all_digits(parts->path + 1, strlen(parts->path + 1)) &&
	    address_parse(parts->host, &address)) {
		err_set(err,
			"%s reads as a prefix, which cannot be blocked; list its addresses, or "
			"write \"https://\" in front if \"%s\" is a path",
			quoted, parts->path);
		return false;
	}
	return true;
}

static bool read_host(const struct url_parts *parts, struct blocked_url *blocked, struct err *err)
{
	struct url_host host;
	struct prefix prefix;

	if (!url_host_read(parts, &host, err))
		return false;
	if (host.name[0]) {
		blocked->host = memory_copy_string(host.name);
		return true;
	}
	prefix = prefix_of(&host.address, address_bits(host.address.family));
	blocked->address = host.address;
	return literal_is_destination(&prefix, err);
}

static bool read_path(const char *text, const struct url_parts *parts, struct blocked_url *blocked,
		      struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];
	struct query_parameters query;
	size_t length;

	if (!path_canonical(parts->path ? parts->path : "/", &blocked->path, err))
		return false;
	/* "/secret/" and "/secret" are the same rule. */
	length = strlen(blocked->path);
	if (length > 1 && blocked->path[length - 1] == '/')
		blocked->path[length - 1] = '\0';
	if (!parts->query)
		return true;
	query = query_parse(parts->query);
	blocked->parameters = query.items;
	blocked->parameter_count = query.count;
	if (query.count)
		return true;
	err_set(err, "%s has an empty query; leave out the \"?\"", text_quote(text, quoted));
	return false;
}

/* Whether the entry, written as host and path alone, would read as a prefix. */
static bool looks_like_prefix(const struct blocked_url *blocked)
{
	return !blocked->host && text_all_digits(blocked->path + 1, strlen(blocked->path + 1));
}

static char *spell(const struct blocked_url *blocked)
{
	bool whole_path = !strcmp(blocked->path, "/");
	char address[ADDRESS_TEXT_SIZE];
	struct buffer out = { 0 };

	if (blocked->port || looks_like_prefix(blocked))
		buffer_append_text(&out, blocked->port == 80 ? "http://" : "https://");
	if (blocked->host)
		buffer_append_text(&out, blocked->host);
	else if (blocked->address.family == FAMILY_IPV6)
		buffer_printf(&out, "[%s]", address_format(&blocked->address, address));
	else
		buffer_append_text(&out, address_format(&blocked->address, address));
	if (blocked->port)
		buffer_printf(&out, ":%u", blocked->port);
	if (!whole_path)
		buffer_append_text(&out, blocked->path);
	if (blocked->parameter_count) {
		buffer_append_text(&out, whole_path ? "/?" : "?");
		query_print(blocked->parameters, blocked->parameter_count, &out);
	}
	return buffer_steal(&out);
}

bool blocked_url_parse(const char *text, struct blocked_url *ret, struct err *err)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	autofree char *bracketed = NULL;
	struct blocked_url blocked = { 0 };
	struct address address;

	/* An IPv6 address alone needs no brackets. */
	if (address_parse(text, &address) && address.family == FAMILY_IPV6)
		bracketed = memory_format("[%s]", text);
	if (!url_split(bracketed ? bracketed : text, &parts, err) || !check_form(text, &parts, err))
		return false;
	if (!read_host(&parts, &blocked, err) || !read_path(text, &parts, &blocked, err)) {
		blocked_url_free(&blocked);
		return false;
	}
	blocked.port = parts.port;
	blocked.text = spell(&blocked);
	*ret = blocked;
	return true;
}

bool blocked_url_covers_host(const struct blocked_url *blocked, const struct target *target)
{
	struct address carried;

	if (blocked->port && blocked->port != target->port)
		return false;
	/* What leads to a blocked address by way of NAT64 or 6to4 is that address. */
	if (!blocked->host)
		return !target->host[0] && (!address_compare(&blocked->address, &target->address) ||
					    (address_carried(&target->address, &carried) &&
					     !address_compare(&blocked->address, &carried)));
	return !strcmp(target->host, blocked->host) || host_is_below(target->host, blocked->host);
}

bool blocked_url_covers_path(const struct blocked_url *blocked, const char *path, const char *query)
{
	const char *prefix = blocked->path;

	if (strcmp(prefix, "/")) {
		for (; *prefix; prefix++, path++)
			if (text_lower(*prefix) != text_lower(*path))
				return false;
		if (*path && *path != '/')
			return false;
	}
	return query_has_all(query ? query : "", blocked->parameters, blocked->parameter_count);
}
