/* entries.c: reads one entry of each list of a policy. */
#include "policy/fields.h"

#include "base/memory.h"
#include "base/text.h"
#include "policy/blocked_url.h"
#include "policy/destination.h"
#include "policy/document.h"
#include "policy/literal.h"

#include <string.h>

/* Room for one more item; the array doubles whenever its count is a power of two. */
static void *grow(void *items, size_t count, size_t size)
{
	return count & (count - 1) ? items : memory_resize(items, count ? 2 * count : 1, size);
}

/* Puts the path in front of the sentence of a reader that knows no path. */
static bool at(const char *path, bool success, struct err *err)
{
	if (!success)
		err_wrap(err, "%s", path);
	return success;
}

/* The string that the entry is, or NULL and a sentence. */
static const char *string_of(const char *path, const json_t *entry, const char *expected,
			     struct err *err)
{
	if (!json_is_string(entry))
		document_unexpected(path, expected, entry, err);
	return json_string_value(entry);
}

static bool append_user(const char *path, const json_t *entry, struct user_specs *specs,
			char **ret_text, struct err *err)
{
	const char *text = json_string_value(entry);
	struct user_spec spec = { 0 };

	if (text && !text_all_digits(text, strlen(text))) {
		if (!at(path, user_spec_parse(text, &spec, err), err))
			return false;
	} else if (!document_number(path, entry,
				    "a user name, a uid from 1 to 4294967294, or a range as in "
				    "\"100000-165535\"",
				    1, UINT32_MAX - 1, &spec.range.first, err)) {
		return false;
	} else {
		spec.range.last = spec.range.first;
	}
	specs->items = grow(specs->items, specs->count, sizeof(*specs->items));
	specs->items[specs->count++] = spec;
	*ret_text = spec.name ? memory_copy_string(spec.name)
			      : memory_format("%u-%u", spec.range.first, spec.range.last);
	return true;
}

bool read_user(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
	       struct err *err)
{
	return append_user(path, entry, &policy->users, ret_text, err);
}

bool read_exempt_user(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		      struct err *err)
{
	return append_user(path, entry, &policy->exempt_users, ret_text, err);
}

static void append_destination(struct destinations *list, struct destination destination,
			       char **ret_text)
{
	list->items = grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = destination;
	*ret_text = memory_copy_string(destination.text);
}

bool read_allowed_host(const char *path, const json_t *entry, struct policy *policy,
		       char **ret_text, struct err *err)
{
	struct destination destination;
	const char *text = string_of(path, entry, "a host, wildcard, address or prefix", err);

	if (!text || !at(path, destination_parse(text, &destination, err), err))
		return false;
	append_destination(&policy->allowed_hosts, destination, ret_text);
	return true;
}

bool read_model_endpoint(const char *path, const json_t *entry, struct policy *policy,
			 char **ret_text, struct err *err)
{
	struct destination destination;
	const char *text = string_of(path, entry, "an http or https URL", err);

	if (!text || !at(path, endpoint_parse(text, &destination, err), err))
		return false;
	append_destination(&policy->model_endpoints, destination, ret_text);
	return true;
}

bool read_blocked_url(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		      struct err *err)
{
	struct blocked_urls *list = &policy->blocked_urls;
	struct blocked_url blocked;
	const char *text =
		string_of(path, entry, "a host, host and path, or an http or https URL", err);

	if (!text || !at(path, blocked_url_parse(text, &blocked, err), err))
		return false;
	list->items = grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = blocked;
	*ret_text = memory_copy_string(blocked.text);
	return true;
}

bool read_loopback_port(const char *path, const json_t *entry, struct policy *policy,
			char **ret_text, struct err *err)
{
	static const uint16_t resolvers[] = { 53, 853, 5353 };
	const char *text = json_string_value(entry);
	uint32_t first, last;
	uint16_t first_port, last_port;

	if (text && !text_all_digits(text, strlen(text))) {
		if (!at(path, literal_ports(text, text, &first_port, &last_port, err), err))
			return false;
		first = first_port;
		last = last_port;
	} else if (!document_number(path, entry,
				    "a port from 1 to 65535, or a range as in \"8000-8010\"", 1,
				    UINT16_MAX, &first, err)) {
		return false;
	} else {
		last = first;
	}
	for (size_t i = 0; i < sizeof(resolvers) / sizeof(*resolvers); i++) {
		if (first > resolvers[i] || resolvers[i] > last)
			continue;
		err_set(err, "%s: %s%s%sport %u, where resolvers listen, is always closed", path,
			text ? "\"" : "", text ? text : "", text ? "\" is refused: " : "",
			resolvers[i]);
		return false;
	}
	rangeset_add(&policy->loopback_ports, first, last);
	*ret_text = memory_format("%u-%u", first, last);
	return true;
}

bool read_published_port(const char *path, const json_t *entry, struct policy *policy,
			 char **ret_text, struct err *err)
{
	uint32_t port;

	if (!document_number(path, entry, "a port from 1 to 65535", 1, UINT16_MAX, &port, err))
		return false;
	rangeset_add(&policy->published_ports, port, port);
	*ret_text = memory_format("%u", port);
	return true;
}

bool read_canary(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		 struct err *err)
{
	struct address_ports *list = &policy->canary;
	char formatted[ADDRESS_TEXT_SIZE];
	struct address_port target;
	struct prefix prefix;
	const char *text =
		string_of(path, entry, "an address and a port as in \"192.0.2.1:443\"", err);

	if (!text || !at(path, address_port_parse(text, &target, err), err))
		return false;
	prefix = prefix_of(&target.address, address_bits(target.address.family));
	if (!at(path, literal_is_destination(&prefix, err), err))
		return false;
	list->items = grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = target;
	*ret_text = memory_format("%s %u", address_format(&target.address, formatted), target.port);
	return true;
}

bool read_private(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		  struct err *err)
{
	struct prefixes *list = &policy->allow_private;
	char formatted[PREFIX_TEXT_SIZE];
	struct prefix prefix;
	const char *text =
		string_of(path, entry, "an address or a prefix as in \"10.0.0.0/8\"", err);

	if (!text || !at(path, literal_prefix(text, &prefix, err), err))
		return false;
	list->items = grow(list->items, list->count, sizeof(*list->items));
	list->items[list->count++] = prefix;
	*ret_text = memory_copy_string(prefix_format(&prefix, formatted));
	return true;
}
