/* destination.c: what an entry of `allowed_hosts` or `model_endpoints` covers, and its spelling. */
#include "policy/destination.h"

#include "base/text.h"
#include "policy/url_split.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct destination) <= 24, "a policy may have very many of them");

enum { PORT_HTTP = 80, PORT_HTTPS = 443 };

void destination_free(struct destination *destination)
{
	if (destination->kind != DESTINATION_PREFIX)
		free(destination->name);
	*destination = (struct destination){ 0 };
}

struct prefix destination_prefix(const struct destination *destination)
{
	struct prefix prefix = {
		.address.family = destination->ipv6 ? FAMILY_IPV6 : FAMILY_IPV4,
		.length = destination->length,
	};

	memcpy(prefix.address.bytes, destination->bytes, sizeof(prefix.address.bytes));
	return prefix;
}

void destination_set_prefix(struct destination *destination, const struct prefix *prefix)
{
	destination->kind = DESTINATION_PREFIX;
	destination->ipv6 = prefix->address.family == FAMILY_IPV6;
	destination->length = prefix->length;
	memcpy(destination->bytes, prefix->address.bytes, sizeof(destination->bytes));
}

bool destination_has_port(const struct destination *destination, uint16_t port)
{
	if (!destination->first_port)
		return port == PORT_HTTP || port == PORT_HTTPS;
	return destination->first_port <= port && port <= destination->last_port;
}

struct rangeset destination_ports(const struct destination *destination)
{
	struct rangeset ports = { 0 };

	if (destination->first_port) {
		rangeset_add(&ports, destination->first_port, destination->last_port);
	} else {
		rangeset_add(&ports, PORT_HTTP, PORT_HTTP);
		rangeset_add(&ports, PORT_HTTPS, PORT_HTTPS);
	}
	return ports;
}

static int compare_numbers(unsigned one, unsigned other)
{
	return (one > other) - (one < other);
}

static int compare_hosts(const struct destination *one, const struct destination *other)
{
	int order;

	if (one->kind != other->kind)
		return compare_numbers(one->kind, other->kind);
	if (one->kind != DESTINATION_PREFIX)
		return strcmp(one->name, other->name);
	if (one->ipv6 != other->ipv6)
		return compare_numbers(one->ipv6, other->ipv6);
	order = memcmp(one->bytes, other->bytes, sizeof(one->bytes));
	return order ? order : compare_numbers(one->length, other->length);
}

int destination_compare(const struct destination *one, const struct destination *other)
{
	int order = compare_hosts(one, other);

	if (!order)
		order = compare_numbers(one->first_port, other->first_port);
	if (!order)
		order = compare_numbers(one->last_port, other->last_port);
	return order ? order : compare_numbers(one->scheme, other->scheme);
}

/* The normal spelling of everything but scheme and ports. */
static char *format_host(const struct destination *destination, bool followed, char *at,
			 const char *end)
{
	char text[PREFIX_TEXT_SIZE];
	struct prefix prefix;

	switch (destination->kind) {
	case DESTINATION_NAME:
		return text_put(at, end, destination->name);
	case DESTINATION_WILDCARD:
		return text_put(text_put(at, end, "*."), end, destination->name);
	case DESTINATION_PREFIX:
		break;
	}
	prefix = destination_prefix(destination);
	prefix_format(&prefix, text);
	if (!destination->ipv6 || !followed)
		return text_put(at, end, text);
	return text_put(text_put(text_put(at, end, "["), end, text), end, "]");
}

static void format_ports(const struct destination *destination, char *at, const char *end)
{
	uint16_t first = destination->first_port, last = destination->last_port;

	if (!first ||
	    (destination->scheme != SCHEME_NONE && first == url_default_port(destination->scheme)))
		return;
	at = text_put(at, end, ":");
	if (first == 1 && last == UINT16_MAX) {
		text_put(at, end, "*");
		return;
	}
	at = text_put_decimal(at, end, first);
	if (first != last)
		text_put_decimal(text_put(at, end, "-"), end, last);
}

const char *destination_format(const struct destination *destination,
			       char ret[DESTINATION_TEXT_SIZE])
{
	bool is_url = destination->scheme != SCHEME_NONE;
	const char *end = ret + DESTINATION_TEXT_SIZE;
	char *at = ret;

	if (is_url)
		at = text_put(text_put(at, end, url_scheme_name(destination->scheme)), end, "://");
	at = format_host(destination, is_url || destination->first_port, at, end);
	format_ports(destination, at, end);
	return ret;
}
