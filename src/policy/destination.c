/* destination.c: one entry of `allowed_hosts` or `model_endpoints`, from text. */
#include "policy/destination.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/host.h"
#include "policy/literal.h"
#include "policy/url_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void destination_free(struct destination *destination)
{
	free(destination->name);
	free(destination->text);
	rangeset_free(&destination->ports);
	*destination = (struct destination){ 0 };
}

static bool refuse_url(const char *text, struct err *err)
{
	const char *host = strstr(text, "://") + 3;
	autofree char *meant = memory_format("%.*s", (int)strcspn(host, "/?#"), host);
	char quoted[TEXT_QUOTE_SIZE], meant_quoted[TEXT_QUOTE_SIZE];

	err_set(err, "%s is a URL; did you mean the host %s?", text_quote(text, quoted),
		text_quote(meant, meant_quoted));
	return false;
}

/* Cuts "[v6]:ports" into the part in brackets and what follows the colon. */
static bool split_brackets(const char *text, char **ret_host, const char **ret_ports,
			   struct err *err)
{
	const char *close = strchr(text, ']');
	char quoted[TEXT_QUOTE_SIZE], inner_quoted[TEXT_QUOTE_SIZE];
	autofree char *inner = memory_format("%.*s", close ? (int)(close - text - 1) : 0, text + 1);

	text_quote(text, quoted);
	if (!close || (close[1] && close[1] != ':')) {
		err_set(err, "%s has unmatched brackets; expected \"[2001:db8::1]:443\"", quoted);
		return false;
	}
	if (!strchr(inner, ':')) {
		err_set(err, "%s has brackets round something else than an IPv6 address", quoted);
		return false;
	}
	if (!close[1]) {
		err_set(err, "%s has brackets but no port; did you mean %s?", quoted,
			text_quote(inner, inner_quoted));
		return false;
	}
	*ret_host = memory_copy_string(inner);
	*ret_ports = close + 2;
	return true;
}

/* Cuts a destination into its host part, which the caller frees, and its ports or NULL. */
static bool split(const char *text, char **ret_host, const char **ret_ports, struct err *err)
{
	const char *colon = strchr(text, ':');

	/* The value is not repeated here: it may hold a password. */
	if (strchr(text, '@')) {
		err_set(err, "the value has user information before \"@\"; expected a host");
		return false;
	}
	if (strstr(text, "://"))
		return refuse_url(text, err);
	if (text[0] == '[')
		return split_brackets(text, ret_host, ret_ports, err);
	/* Two colons or more: an IPv6 address, which has ports only behind brackets. */
	if (!colon || strchr(colon + 1, ':')) {
		*ret_host = memory_copy_string(text);
		*ret_ports = NULL;
		return true;
	}
	*ret_host = memory_format("%.*s", (int)(colon - text), text);
	*ret_ports = colon + 1;
	return true;
}

/* Reads the ports and writes them in their normal form, as they follow the host. */
static bool read_ports(const char *text, const char *ports, struct destination *destination,
		       char *ret_suffix, size_t size, struct err *err)
{
	uint16_t first = 1, last = UINT16_MAX;

	ret_suffix[0] = '\0';
	if (!ports) {
		rangeset_add(&destination->ports, 80, 80);
		rangeset_add(&destination->ports, 443, 443);
		return true;
	}
	if (strcmp(ports, "*") && !literal_ports(ports, text, &first, &last, err))
		return false;
	rangeset_add(&destination->ports, first, last);
	if (first == 1 && last == UINT16_MAX)
		snprintf(ret_suffix, size, ":*");
	else if (first == last)
		snprintf(ret_suffix, size, ":%u", first);
	else
		snprintf(ret_suffix, size, ":%u-%u", first, last);
	return true;
}

static bool read_wildcard(const char *text, const char *host, struct destination *destination,
			  struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], name[HOST_TEXT_SIZE];

	text_quote(text, quoted);
	if (!strcmp(host, "*") || !strcmp(host, "*.")) {
		err_set(err,
			"%s is every host; use network_mode \"public\" for that, or name what is "
			"needed",
			quoted);
		return false;
	}
	if (strncmp(host, "*.", 2) || strchr(host + 1, '*')) {
		err_set(err,
			"%s has a star that is not the whole leftmost label; expected a wildcard "
			"as in \"*.example.com\"",
			quoted);
		return false;
	}
	if (!host_normalise(host + 2, name, err))
		return false;
	if (host_is_public_suffix(name)) {
		err_set(err,
			"%s is a wildcard directly under the public suffix \"%s\", where anybody "
			"can have a name; name the hosts that are needed",
			quoted, name);
		return false;
	}
	destination->kind = DESTINATION_WILDCARD;
	destination->name = memory_copy_string(name);
	return true;
}

static bool read_prefix(const char *text, const char *host, struct destination *destination,
			struct err *err)
{
	const char *slash = strchrnul(host, '/');
	autofree char *before = memory_format("%.*s", (int)(slash - host), host);
	char quoted[TEXT_QUOTE_SIZE];
	struct address address;

	if (*slash && !address_parse(before, &address) && !strchr(before, ':')) {
		err_set(err, "%s has a path; expected a host, an address or a prefix",
			text_quote(text, quoted));
		return false;
	}
	if (!literal_prefix(host, &destination->prefix, err) ||
	    !literal_is_destination(&destination->prefix, err))
		return false;
	destination->kind = DESTINATION_PREFIX;
	return true;
}

static bool read_host(const char *text, const char *host, struct destination *destination,
		      struct err *err)
{
	struct address address;
	char name[HOST_TEXT_SIZE];

	if (strchr(host, '*'))
		return read_wildcard(text, host, destination, err);
	if (strpbrk(host, ":/") || address_parse(host, &address))
		return read_prefix(text, host, destination, err);
	if (!host_normalise(host, name, err))
		return false;
	destination->kind = DESTINATION_NAME;
	destination->name = memory_copy_string(name);
	return true;
}

/* The normal spelling of everything but the ports. */
static void format_host(const struct destination *destination, bool with_ports, char *ret,
			size_t size)
{
	char prefix[PREFIX_TEXT_SIZE];

	switch (destination->kind) {
	case DESTINATION_NAME:
		snprintf(ret, size, "%s", destination->name);
		break;
	case DESTINATION_WILDCARD:
		snprintf(ret, size, "*.%s", destination->name);
		break;
	case DESTINATION_PREFIX:
		prefix_format(&destination->prefix, prefix);
		if (with_ports && destination->prefix.address.family == FAMILY_IPV6)
			snprintf(ret, size, "[%s]", prefix);
		else
			snprintf(ret, size, "%s", prefix);
		break;
	}
}

bool destination_parse(const char *text, struct destination *ret, struct err *err)
{
	struct destination destination = { 0 };
	char suffix[sizeof(":65535-65535")], spelling[HOST_TEXT_SIZE + 2], quoted[TEXT_QUOTE_SIZE];
	autofree char *host = NULL;
	const char *ports;

	if (!split(text, &host, &ports, err))
		return false;
	if (ports && strchr(ports, '/')) {
		err_set(err,
			"%s has a \"/\" behind the port; expected a host, an address or a prefix, "
			"then the ports",
			text_quote(text, quoted));
		return false;
	}
	if (!read_host(text, host, &destination, err) ||
	    !read_ports(text, ports, &destination, suffix, sizeof(suffix), err)) {
		destination_free(&destination);
		return false;
	}
	format_host(&destination, ports != NULL, spelling, sizeof(spelling));
	destination.text = memory_format("%s%s", spelling, suffix);
	*ret = destination;
	return true;
}

bool endpoint_parse(const char *text, struct destination *ret, struct err *err)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	char spelling[HOST_TEXT_SIZE + 2], suffix[sizeof(":65535")] = "", quoted[TEXT_QUOTE_SIZE];
	struct destination destination = { 0 };
	struct url_host host;
	uint16_t usual, port;

	if (!url_split(text, &parts, err))
		return false;
	if (parts.scheme == SCHEME_NONE || parts.query) {
		err_set(err, "%s %s; expected a URL as in \"https://api.example.com\"",
			text_quote(text, quoted), parts.query ? "has a query" : "has no scheme");
		return false;
	}
	if (!url_host_read(&parts, &host, err))
		return false;
	destination.kind = host.name[0] ? DESTINATION_NAME : DESTINATION_PREFIX;
	destination.prefix = prefix_of(&host.address, address_bits(host.address.family));
	if (destination.kind == DESTINATION_PREFIX &&
	    !literal_is_destination(&destination.prefix, err))
		return false;
	if (destination.kind == DESTINATION_NAME) {
		destination.name = memory_copy_string(host.name);
		destination.prefix = (struct prefix){ 0 };
	}
	usual = url_default_port(parts.scheme);
	port = parts.port ? parts.port : usual;
	rangeset_add(&destination.ports, port, port);
	if (port != usual)
		snprintf(suffix, sizeof(suffix), ":%u", port);
	format_host(&destination, true, spelling, sizeof(spelling));
	destination.text =
		memory_format("%s://%s%s", url_scheme_name(parts.scheme), spelling, suffix);
	*ret = destination;
	return true;
}
