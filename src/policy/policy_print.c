/* policy_print.c: a policy as the JSON that is read as the same policy. */
#include "policy/policy.h"

#include "base/text.h"

#include <inttypes.h>

/* Begins a field and its array, unless that has no entries and need not be shown. */
static void open_array(const char *name, struct buffer *out)
{
	buffer_printf(out, ",\n  \"%s\": [", name);
}

/* Begins an entry on a line of its own. */
static void next_entry(size_t index, struct buffer *out)
{
	buffer_append_text(out, index ? ",\n    " : "\n    ");
}

static void close_array(size_t count, struct buffer *out)
{
	buffer_append_text(out, count ? "\n  ]" : "]");
}

static void print_range(const struct range *range, struct buffer *out)
{
	if (range->first == range->last)
		buffer_printf(out, "%" PRIu32, range->first);
	else
		buffer_printf(out, "\"%" PRIu32 "-%" PRIu32 "\"", range->first, range->last);
}

static void print_users(const char *name, const struct user_specs *specs, struct buffer *out)
{
	if (!specs->count)
		return;
	open_array(name, out);
	for (size_t i = 0; i < specs->count; i++) {
		next_entry(i, out);
		if (specs->items[i].name)
			text_print_json(specs->items[i].name, out);
		else
			print_range(&specs->items[i].range, out);
	}
	close_array(specs->count, out);
}

static void print_destinations(const char *name, const struct destinations *list,
			       struct buffer *out)
{
	char text[DESTINATION_TEXT_SIZE];

	open_array(name, out);
	for (size_t i = 0; i < list->count; i++) {
		next_entry(i, out);
		/* A normal form has nothing that JSON would escape. */
		buffer_append_text(out, "\"");
		buffer_append_text(out, destination_format(&list->items[i], text));
		buffer_append_text(out, "\"");
	}
	close_array(list->count, out);
}

static void print_blocked_urls(const struct blocked_urls *list, struct buffer *out)
{
	open_array("blocked_urls", out);
	for (size_t i = 0; i < list->count; i++) {
		next_entry(i, out);
		text_print_json(list->items[i].text, out);
	}
	close_array(list->count, out);
}

static void print_loopback(const struct policy *policy, struct buffer *out)
{
	if (policy->loopback_any) {
		buffer_append_text(out, ",\n  \"loopback\": \"any\"");
		return;
	}
	open_array("loopback", out);
	for (size_t i = 0; i < policy->loopback_ports.count; i++) {
		next_entry(i, out);
		print_range(&policy->loopback_ports.items[i], out);
	}
	close_array(policy->loopback_ports.count, out);
}

/* Each port by itself: this field has no ranges. */
static void print_published_ports(const struct rangeset *ports, struct buffer *out)
{
	size_t count = 0;

	open_array("published_ports", out);
	for (size_t i = 0; i < ports->count; i++)
		for (uint32_t port = ports->items[i].first; port <= ports->items[i].last; port++) {
			next_entry(count++, out);
			buffer_printf(out, "%" PRIu32, port);
		}
	close_array(count, out);
}

static void print_canary(const struct address_ports *list, struct buffer *out)
{
	char text[ADDRESS_PORT_TEXT_SIZE];
	const struct address_port *items = list->count ? list->items : policy_canary_default;
	size_t count = list->count ? list->count : CANARY_DEFAULTS;

	open_array("canary", out);
	for (size_t i = 0; i < count; i++) {
		next_entry(i, out);
		buffer_printf(out, "\"%s\"", address_port_format(&items[i], text));
	}
	close_array(count, out);
}

static void print_private(const struct prefixes *list, struct buffer *out)
{
	char text[PREFIX_TEXT_SIZE];

	open_array("allow_private", out);
	for (size_t i = 0; i < list->count; i++) {
		next_entry(i, out);
		buffer_printf(out, "\"%s\"", prefix_format(&list->items[i], text));
	}
	close_array(list->count, out);
}

static void print_boolean(const char *name, bool value, struct buffer *out)
{
	buffer_printf(out, ",\n  \"%s\": %s", name, value ? "true" : "false");
}

void policy_print(const struct policy *policy, struct buffer *out)
{
	buffer_printf(out, "{\n  \"version\": %d,\n  \"network_mode\": \"%s\"", POLICY_VERSION,
		      network_mode_name(policy->mode));
	print_users("users", &policy->users, out);
	print_users("exempt_users", &policy->exempt_users, out);
	if (policy->mode == MODE_ALLOWLIST)
		print_destinations("allowed_hosts", &policy->allowed_hosts, out);
	if (policy->mode == MODE_BLOCKLIST)
		print_blocked_urls(&policy->blocked_urls, out);
	print_destinations("model_endpoints", &policy->model_endpoints, out);
	print_boolean("allow_model_endpoint", policy->allow_model_endpoint, out);
	buffer_printf(out, ",\n  \"enforcement\": \"%s\"", enforcement_name(policy->enforcement));
	print_loopback(policy, out);
	buffer_printf(out, ",\n  \"ownerless\": \"%s\"", ownerless_name(policy->ownerless));
	print_boolean("own_addresses", policy->own_addresses, out);
	print_published_ports(&policy->published_ports, out);
	print_canary(&policy->canary, out);
	buffer_printf(out,
		      ",\n  \"pin_limits\": { \"hosts\": %" PRIu32 ", \"addresses\": %" PRIu32 " }",
		      policy->pin_hosts_max, policy->pin_addresses_max);
	print_private(&policy->allow_private, out);
	buffer_append_text(out, "\n}\n");
}
