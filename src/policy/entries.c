/* entries.c: reads one entry of each list of a policy. */
#include "policy/fields.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/blocked_url.h"
#include "policy/destination.h"
#include "policy/document.h"
#include "policy/literal.h"

#include <string.h>

/* The array for all entries of a list, made with the first. */
static void *room(void *items, size_t total, size_t size)
{
	return items ? items : memory_allocate(total, size);
}

/* The string that the entry is, or NULL and a sentence. */
static const char *string_of(const json_t *entry, const char *expected, struct err *err)
{
	if (!json_is_string(entry))
		document_unexpected(NULL, expected, entry, err);
	return json_string_value(entry);
}

static bool append_user(const json_t *entry, size_t total, struct user_specs *specs,
			struct err *err)
{
	const char *text = json_string_value(entry);
	struct user_spec spec = { 0 };

	if (text && !text_all_digits(text, strlen(text))) {
		if (!user_spec_parse(text, &spec, err))
			return false;
	} else if (!document_number(NULL, entry,
				    "a user name, a uid from 1 to 4294967294, or a range as in "
				    "\"100000-165535\"",
				    1, UINT32_MAX - 1, &spec.range.first, err)) {
		return false;
	} else {
		spec.range.last = spec.range.first;
	}
	specs->items = room(specs->items, total, sizeof(*specs->items));
	specs->items[specs->count++] = spec;
	return true;
}

bool read_user(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	return append_user(entry, total, &policy->users, err);
}

bool read_exempt_user(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	return append_user(entry, total, &policy->exempt_users, err);
}

static void append_destination(struct destinations *list, size_t total,
			       const struct destination *destination)
{
	list->items = room(list->items, total, sizeof(*list->items));
	list->items[list->count++] = *destination;
}

bool read_allowed_host_text(const char *text, size_t total, struct policy *policy, struct err *err)
{
	struct destination destination;

	if (!destination_parse(text, &destination, err))
		return false;
	append_destination(&policy->allowed_hosts, total, &destination);
	return true;
}

bool read_allowed_host(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	const char *text = string_of(entry, "a host, wildcard, address or prefix", err);

	return text && read_allowed_host_text(text, total, policy, err);
}

bool read_model_endpoint(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	struct destination destination;
	const char *text = string_of(entry, "an http or https URL", err);

	if (!text || !endpoint_parse(text, &destination, err))
		return false;
	append_destination(&policy->model_endpoints, total, &destination);
	return true;
}

bool read_blocked_url(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	struct blocked_urls *list = &policy->blocked_urls;
	struct blocked_url blocked;
	const char *text = string_of(entry, "a host, host and path, or an http or https URL", err);

	if (!text || !blocked_url_parse(text, &blocked, err))
		return false;
	list->items = room(list->items, total, sizeof(*list->items));
	list->items[list->count++] = blocked;
	return true;
}

bool read_loopback_port(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	static const uint16_t resolvers[] = { 53, 853, 5353 };
	const char *text = json_string_value(entry);
	uint32_t first, last;
	uint16_t first_port, last_port;

	(void)total;
	if (text && !text_all_digits(text, strlen(text))) {
		if (!literal_ports(text, text, &first_port, &last_port, err))
			return false;
		first = first_port;
		last = last_port;
	} else if (!document_number(NULL, entry,
				    "a port from 1 to 65535, or a range as in \"8000-8010\"", 1,
				    UINT16_MAX, &first, err)) {
		return false;
	} else {
		last = first;
	}
	for (size_t i = 0; i < sizeof(resolvers) / sizeof(*resolvers); i++) {
		if (first > resolvers[i] || resolvers[i] > last)
			continue;
		err_set(err, "%s%s%sport %u, where resolvers listen, is always closed",
			text ? "\"" : "", text ? text : "", text ? "\" is refused: " : "",
			resolvers[i]);
		return false;
	}
	rangeset_add(&policy->loopback_ports, first, last);
	return true;
}

bool read_published_port(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	uint32_t port;

	(void)total;
	if (!document_number(NULL, entry, "a port from 1 to 65535", 1, UINT16_MAX, &port, err))
		return false;
	rangeset_add(&policy->published_ports, port, port);
	return true;
}

bool read_canary(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	struct address_ports *list = &policy->canary;
	struct address_port target;
	struct prefix prefix;
	const char *text = string_of(entry, "an address and a port as in \"192.0.2.1:443\"", err);

	if (!text || !address_port_parse(text, &target, err))
		return false;
	prefix = prefix_of(&target.address, address_bits(target.address.family));
	if (!literal_is_destination(&prefix, err))
		return false;
	list->items = room(list->items, total, sizeof(*list->items));
	list->items[list->count++] = target;
	return true;
}

bool read_private(const json_t *entry, size_t total, struct policy *policy, struct err *err)
{
	struct prefixes *list = &policy->allow_private;
	struct prefix prefix;
	const char *text = string_of(entry, "an address or a prefix as in \"10.0.0.0/8\"", err);

	if (!text || !literal_prefix(text, &prefix, err))
		return false;
	list->items = room(list->items, total, sizeof(*list->items));
	list->items[list->count++] = prefix;
	return true;
}
