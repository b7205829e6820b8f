/* fields.c: the table of the fields of a policy, and the readers of those that are no lists. */
#include "policy/fields.h"

#include "policy/document.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool read_version(const char *path, const json_t *value, struct policy *policy,
			 struct err *err)
{
	uint32_t version;

	(void)policy;
	return document_number(path, value, "1, the only version there is", POLICY_VERSION,
			       POLICY_VERSION, &version, err);
}

static bool read_network_mode(const char *path, const json_t *value, struct policy *policy,
			      struct err *err)
{
	const char *words[MODE_BLOCKLIST + 1], *text = json_string_value(value);
	size_t index;

	for (size_t i = 0; i <= MODE_BLOCKLIST; i++)
		words[i] = network_mode_name((enum network_mode)i);
	/* Some task formats have this word for it. */
	if (text && !strcmp(text, "denylist"))
		index = MODE_BLOCKLIST;
	else if (!document_word(path, value, words, MODE_BLOCKLIST + 1, &index, err))
		return false;
	policy->mode = (enum network_mode)index;
	return true;
}

static bool read_enforcement(const char *path, const json_t *value, struct policy *policy,
			     struct err *err)
{
	const char *words[ENFORCE_FILTER + 1];
	size_t index;

	for (size_t i = 0; i <= ENFORCE_FILTER; i++)
		words[i] = enforcement_name((enum enforcement)i);
	if (!document_word(path, value, words, ENFORCE_FILTER + 1, &index, err))
		return false;
	policy->enforcement = (enum enforcement)index;
	return true;
}

static bool read_ownerless(const char *path, const json_t *value, struct policy *policy,
			   struct err *err)
{
	const char *words[OWNERLESS_PASS + 1];
	size_t index;

	for (size_t i = 0; i <= OWNERLESS_PASS; i++)
		words[i] = ownerless_name((enum ownerless)i);
	if (!document_word(path, value, words, OWNERLESS_PASS + 1, &index, err))
		return false;
	policy->ownerless = (enum ownerless)index;
	return true;
}

static bool read_boolean(const char *path, const json_t *value, bool *ret, struct err *err)
{
	if (!json_is_boolean(value))
		return document_unexpected(path, "true or false", value, err);
	*ret = json_is_true(value);
	return true;
}

static bool read_allow_model_endpoint(const char *path, const json_t *value, struct policy *policy,
				      struct err *err)
{
	return read_boolean(path, value, &policy->allow_model_endpoint, err);
}

static bool read_own_addresses(const char *path, const json_t *value, struct policy *policy,
			       struct err *err)
{
	return read_boolean(path, value, &policy->own_addresses, err);
}

static bool read_loopback(const char *path, const json_t *value, struct policy *policy,
			  struct err *err)
{
	const char *text = json_string_value(value);

	if (!text || strcmp(text, "any"))
		return document_unexpected(path, "\"any\" or an array of ports and ranges", value,
					   err);
	policy->loopback_any = true;
	return true;
}

static bool read_pin_limits(const char *path, const json_t *value, struct policy *policy,
			    struct err *err)
{
	static const char *const names[] = { "hosts", "addresses" };
	uint32_t *const limits[] = { &policy->pin_hosts_max, &policy->pin_addresses_max };
	char inner[64];
	const char *key;
	json_t *limit;

	if (!json_is_object(value))
		return document_unexpected(path, "an object with \"hosts\" and \"addresses\"",
					   value, err);
	json_object_foreach ((json_t *)value, key, limit) {
		size_t index = !strcmp(key, names[0]) ? 0 : 1;

		if (strcmp(key, names[index]))
			return document_unknown_key(path, key, names, 2, err);
		snprintf(inner, sizeof(inner), "%s.%s", path, key);
		static_assert(PIN_LIMIT_MAX == 1048576, "the sentence below");
		if (!document_number(inner, limit, "a number from 1 to 1048576", 1, PIN_LIMIT_MAX,
				     limits[index], err))
			return false;
	}
	return true;
}

static const char no_users[] = "name at least one user, or leave the field out";

const struct field policy_fields[] = {
	{ "version", read_version, NULL, NULL, NULL, NULL },
	{ "network_mode", read_network_mode, NULL, NULL, NULL, NULL },
	{ "users", NULL, read_user, order_of_users, "user names, uids and ranges", no_users },
	{ "exempt_users", NULL, read_exempt_user, order_of_exempt_users,
	  "user names, uids and ranges", no_users },
	{ FIELD_LONG, NULL, read_allowed_host, order_of_allowed_hosts, "destinations",
	  "name at least one destination, or use network_mode \"no-network\"" },
	{ "blocked_urls", NULL, read_blocked_url, order_of_blocked_urls, "hosts and URLs",
	  "name at least one host or URL, or use network_mode \"public\"" },
	{ "model_endpoints", NULL, read_model_endpoint, order_of_model_endpoints, "URLs", NULL },
	{ "allow_model_endpoint", read_allow_model_endpoint, NULL, NULL, NULL, NULL },
	{ "enforcement", read_enforcement, NULL, NULL, NULL, NULL },
	{ "loopback", read_loopback, read_loopback_port, order_of_ports, "ports and ranges", NULL },
	{ "ownerless", read_ownerless, NULL, NULL, NULL, NULL },
	{ "own_addresses", read_own_addresses, NULL, NULL, NULL, NULL },
	{ "published_ports", NULL, read_published_port, order_of_ports, "ports", NULL },
	{ "canary", NULL, read_canary, order_of_canary, "addresses with ports",
	  "name at least one target, or leave the field out for the default ones" },
	{ "pin_limits", read_pin_limits, NULL, NULL, NULL, NULL },
	{ "allow_private", NULL, read_private, order_of_private, "prefixes", NULL },
};

const size_t policy_field_count = sizeof(policy_fields) / sizeof(*policy_fields);
