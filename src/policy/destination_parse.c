/* destination_parse.c: one entry of `allowed_hosts` or `model_endpoints`, from text. */
#include "policy/destination.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/host.h"
#include "policy/literal.h"
#include "policy/url_split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first `length` characters, which the caller frees. */
static char *copy_part(const char *text, size_t length)
{
	char *part = memory_allocate(length + 1, 1);

	memcpy(part, text, length);
	return part;
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

	if (!close || (close[1] && close[1] != ':')) {
		err_set(err, "%s has unmatched brackets; expected \"[2001:db8::1]:443\"",
			text_quote(text, quoted));
		return false;
	}
	if (!strchr(inner, ':')) {
		err_set(err, "%s has brackets round something else than an IPv6 address",
			text_quote(text, quoted));
		return false;
	}
	if (!close[1]) {
		err_set(err, "%s has brackets but no port; did you mean %s?",
			text_quote(text, quoted), text_quote(inner, inner_quoted));
		return false;
	}
	*ret_host = memory_copy_string(inner);
	*ret_ports = close + 2;
	return true;
}

/*
 * Cuts a destination into its host and its ports or NULL. The host is the text itself or, where
 * that goes on, a copy, which the caller frees.
 */
static bool split(const char *text, const char **ret_host, char **ret_copy, const char **ret_ports,
		  struct err *err)
{
	const char *colon = strchr(text, ':');

	/* The value is not repeated here: it may hold a password. */
	if (strchr(text, '@')) {
		err_set(err, "the value has user information before \"@\"; expected a host");
		return false;
	}
	*ret_host = text;
	*ret_copy = NULL;
	*ret_ports = NULL;
	if (colon && strstr(text, "://"))
		return refuse_url(text, err);
	if (text[0] == '[') {
		if (!split_brackets(text, ret_copy, ret_ports, err))
			return false;
		*ret_host = *ret_copy;
	} else if (colon && !strchr(colon + 1, ':')) {
		/* Two colons or more: an IPv6 address, which has ports only behind brackets. */
		*ret_copy = copy_part(text, (size_t)(colon - text));
		*ret_host = *ret_copy;
		*ret_ports = colon + 1;
	}
	return true;
}

static bool read_ports(const char *text, const char *ports, struct destination *destination,
		       struct err *err)
{
	if (!ports)
		return true;
	if (strcmp(ports, "*"))
		return literal_ports(ports, text, &destination->first_port, &destination->last_port,
				     err);
	destination->first_port = 1;
	destination->last_port = UINT16_MAX;
	return true;
}

static bool read_wildcard(const char *text, const char *host, struct destination *destination,
			  struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE], name[HOST_TEXT_SIZE];

	if (!strcmp(host, "*") || !strcmp(host, "*.")) {
		err_set(err,
			"%s is every host; use network_mode \"public\" for that, or name what is "
			"needed",
			text_quote(text, quoted));
		return false;
	}
	if (strncmp(host, "*.", 2) || strchr(host + 1, '*')) {
		err_set(err,
			"%s has a star that is not the whole leftmost label; expected a wildcard "
			"as in \"*.example.com\"",
			text_quote(text, quoted));
		return false;
	}
	if (!host_normalise(host + 2, name, err))
		return false;
	if (host_is_public_suffix(name)) {
		err_set(err,
			"%s is a wildcard directly under the public suffix \"%s\", where anybody "
			"can have a name; name the hosts that are needed",
			text_quote(text, quoted), name);
		return false;
	}
	destination->kind = DESTINATION_WILDCARD;
	destination->name = memory_copy_string(name);
	return true;
}

static bool read_prefix(const char *text, const char *host, struct destination *destination,
			struct err *err)
{
	const char *slash = strchr(host, '/'), *colon = slash ? strchr(slash, ':') : NULL;
	autofree char *before = slash ? copy_part(host, (size_t)(slash - host)) : NULL;
	autofree char *meant =
		colon ? memory_format("[%.*s]%s", (int)(colon - host), host, colon) : NULL;
	char quoted[TEXT_QUOTE_SIZE], meant_quoted[TEXT_QUOTE_SIZE];
	struct address address;
	struct prefix prefix;

	if (meant && address_parse(before, &address)) {
		err_set(err, "%s has ports behind an IPv6 prefix; did you mean %s?",
			text_quote(text, quoted), text_quote(meant, meant_quoted));
		return false;
	}
	if (slash && !address_parse(before, &address) && !strchr(before, ':')) {
		err_set(err, "%s has a path; expected a host, an address or a prefix",
			text_quote(text, quoted));
		return false;
	}
	if (!literal_prefix(host, &prefix, err) || !literal_is_destination(&prefix, err))
		return false;
	destination_set_prefix(destination, &prefix);
	return true;
}

static bool read_name(const char *host, struct destination *destination, struct err *err)
{
	char name[HOST_TEXT_SIZE];

	if (!host_normalise(host, name, err))
		return false;
	destination->kind = DESTINATION_NAME;
	destination->name = memory_copy_string(name);
	return true;
}

static bool read_host(const char *text, const char *host, struct destination *destination,
		      struct err *err)
{
	struct prefix single = { .length = 32 };

	/* Most of a very long list, and an address that has one spelling. */
	if (address_parse(host, &single.address) && single.address.family == FAMILY_IPV4) {
		destination_set_prefix(destination, &single);
		return literal_is_destination(&single, err);
	}
	if (strchr(host, '*'))
		return read_wildcard(text, host, destination, err);
	if (strpbrk(host, ":/"))
		return read_prefix(text, host, destination, err);
	return read_name(host, destination, err);
}

bool destination_parse(const char *text, struct destination *ret, struct err *err)
{
	struct destination destination = { 0 };
	char quoted[TEXT_QUOTE_SIZE];
	autofree char *copy = NULL;
	const char *host, *ports;

	if (!split(text, &host, &copy, &ports, err))
		return false;
	if (ports && strchr(ports, '/')) {
		err_set(err,
			"%s has a \"/\" behind the port; expected a host, an address or a prefix, "
			"then the ports",
			text_quote(text, quoted));
		return false;
	}
	if (!read_host(text, host, &destination, err))
		return false;
	if (!read_ports(text, ports, &destination, err)) {
		destination_free(&destination);
		return false;
	}
	*ret = destination;
	return true;
}

/* A model served on this machine; but a resolver is no model, whatever its URL. */
static bool lane_may_be_here(const struct address *address, uint16_t port, struct err *err)
{
	static const struct address engine_resolver = { FAMILY_IPV4, { 127, 0, 0, 11 } };
	char text[ADDRESS_TEXT_SIZE];

	if (address_compare(address, &engine_resolver) && port != 53 && port != 853 && port != 5353)
		return true;
	err_set(err, "%s port %u is a resolver's, which stays closed",
		address_format(address, text), port ? port : 80);
	return false;
}

bool endpoint_parse(const char *text, struct destination *ret, struct err *err)
{
	__attribute__((cleanup(url_parts_free))) struct url_parts parts = { 0 };
	struct destination destination = { 0 };
	char quoted[TEXT_QUOTE_SIZE];
	struct url_host host;

	if (!url_split(text, &parts, err))
		return false;
	if (parts.scheme == SCHEME_NONE || parts.query) {
		err_set(err, "%s %s; expected a URL as in \"https://api.example.com\"",
			text_quote(text, quoted), parts.query ? "has a query" : "has no scheme");
		return false;
	}
	if (!url_host_is_elsewhere(&parts, err) || !url_host_read(&parts, &host, err))
		return false;
	if (host.name[0]) {
		destination.kind = DESTINATION_NAME;
		destination.name = memory_copy_string(host.name);
	} else {
		struct prefix prefix = prefix_of(&host.address, address_bits(host.address.family));

		if (literal_is_loopback(&host.address)
			    ? !lane_may_be_here(&host.address, parts.port, err)
			    : !literal_is_destination(&prefix, err))
			return false;
		destination_set_prefix(&destination, &prefix);
	}
	destination.scheme = parts.scheme;
	destination.first_port = parts.port ? parts.port : url_default_port(parts.scheme);
	destination.last_port = destination.first_port;
	*ret = destination;
	return true;
}
