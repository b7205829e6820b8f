/* policy_parse.c: from the text of a policy to its value: field by field, then as a whole. */
#include "policy/policy.h"

#include "base/text.h"
#include "policy/document.h"
#include "policy/fields.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 64, NAMES_MAX = 32 };

/* What was read: the tree, and the list that is not in it. */
struct parsed {
	json_t *root;
	struct long_list list; /* of FIELD_LONG */
};

static void quote_entry(const json_t *array, struct long_list list, size_t index,
			char ret[TEXT_QUOTE_SIZE])
{
	const json_t *entry = json_array_get(array, index);
	char text[LONG_LIST_ENTRY_SIZE] = "";

	if (json_is_integer(entry)) {
		snprintf(ret, TEXT_QUOTE_SIZE, "%" JSON_INTEGER_FORMAT, json_integer_value(entry));
		return;
	}
	for (size_t i = 0; !entry && i <= index; i++)
		long_list_next(&list, text);
	text_quote(entry ? json_string_value(entry) : text, ret);
}

/* An entry that stands there twice is a slip: one of the two was meant to be something else. */
static bool check_repeated(const struct field *field, const struct entries *entries,
			   const struct long_list *list, struct err *err)
{
	char quoted[TEXT_QUOTE_SIZE];
	size_t first, second;

	if (!repeated_find(entries, field->order, &first, &second))
		return true;
	quote_entry(entries->array, *list, second, quoted);
	err_set(err, "%s[%zu]: %s is the same as %s[%zu]; remove one", field->name, second, quoted,
		field->name, first);
	return false;
}

static bool read_entries(const struct field *field, const json_t *array,
			 const struct long_list *list, struct policy *policy, struct err *err)
{
	const struct entries entries = {
		.array = array,
		.count = list->count ? list->count : json_array_size(array),
		.policy = policy,
	};
	struct long_list rest = *list;
	char text[LONG_LIST_ENTRY_SIZE];

	for (size_t i = 0; i < entries.count; i++) {
		bool good = long_list_next(&rest, text)
				    ? read_allowed_host_text(text, entries.count, policy, err)
				    : field->read_entry(json_array_get(array, i), entries.count,
							policy, err);

		if (!good) {
			err_wrap(err, "%s[%zu]", field->name, i);
			return false;
		}
	}
	return check_repeated(field, &entries, list, err);
}

static bool read_array(const struct field *field, const json_t *value, const struct long_list *list,
		       struct policy *policy, struct err *err)
{
	char expected[PATH_SIZE];

	if (!json_is_array(value)) {
		snprintf(expected, sizeof(expected), "an array of %s", field->entries);
		return document_unexpected(field->name, expected, value, err);
	}
	if (field->empty && json_array_size(value) == 0 && !list->count) {
		err_set(err, "%s: the array is empty; %s", field->name, field->empty);
		return false;
	}
	return read_entries(field, value, list, policy, err);
}

static const struct field *find_field(const char *name)
{
	for (size_t i = 0; i < policy_field_count; i++)
		if (!strcmp(policy_fields[i].name, name))
			return &policy_fields[i];
	return NULL;
}

static bool refuse_key(const char *key, struct err *err)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (; count < policy_field_count && count < NAMES_MAX; count++)
		names[count] = policy_fields[count].name;
	return document_unknown_key(NULL, key, names, count, err);
}

static bool read_fields(const struct parsed *parsed, struct policy *policy, struct err *err)
{
	static const struct long_list none = { 0 };
	const char *key;
	json_t *value;

	json_object_foreach (parsed->root, key, value) {
		const struct field *field = find_field(key);
		const struct long_list *list = strcmp(key, FIELD_LONG) ? &none : &parsed->list;

		if (!field)
			return refuse_key(key, err);
		if (field->read && !(field->read_entry && json_is_array(value))) {
			if (!field->read(field->name, value, policy, err))
				return false;
		} else if (!read_array(field, value, list, policy, err)) {
			return false;
		}
	}
	policy->loopback_any = !json_is_array(json_object_get(parsed->root, "loopback"));
	return true;
}

/* The list belongs to its mode, and the mode needs its list. */
static bool check_list(const json_t *root, const char *name, const struct policy *policy,
		       enum network_mode mode, struct err *err)
{
	bool present = json_object_get(root, name) != NULL;

	if (present == (policy->mode == mode))
		return true;
	if (present)
		err_set(err,
			"%s: only network_mode \"%s\" has this field, and network_mode is \"%s\"; "
			"change one of the two",
			name, network_mode_name(mode), network_mode_name(policy->mode));
	else
		err_set(err, "%s: the field is missing; network_mode \"%s\" needs it", name,
			network_mode_name(mode));
	return false;
}

/* `pin` cannot do what only a name decides. */
static bool check_enforcement(const struct policy *policy, struct err *err)
{
	if (policy->enforcement != ENFORCE_PIN)
		return true;
	if (policy->mode == MODE_BLOCKLIST) {
		err_set(err, "enforcement: network_mode \"blocklist\" needs \"filter\" or "
			     "\"auto\", found \"pin\"");
		return false;
	}
	for (size_t i = 0; i < policy->allowed_hosts.count; i++) {
		const struct destination *destination = &policy->allowed_hosts.items[i];
		char text[DESTINATION_TEXT_SIZE], quoted[TEXT_QUOTE_SIZE];

		if (destination->kind != DESTINATION_WILDCARD)
			continue;
		err_set(err,
			"allowed_hosts[%zu]: the wildcard %s has no addresses to pin; enforcement "
			"must be \"filter\" or \"auto\"",
			i, text_quote(destination_format(destination, text), quoted));
		return false;
	}
	return true;
}

/* What is nowhere closed is no endpoint's either. */
static bool check_lanes(const struct policy *policy, struct err *err)
{
	if (policy->allow_model_endpoint || policy->mode != MODE_PUBLIC)
		return true;
	err_set(err, "allow_model_endpoint: false closes nothing in network_mode \"public\", where "
		     "all is open; remove it, or use \"blocklist\" or a closed mode");
	return false;
}

static bool check_whole(const json_t *root, const struct policy *policy, struct err *err)
{
	if (!json_object_get(root, "network_mode")) {
		err_set(err,
			"network_mode: the field is missing; expected \"public\", \"no-network\", "
			"\"allowlist\" or \"blocklist\"");
		return false;
	}
	if (policy->users.count && policy->exempt_users.count) {
		err_set(err, "exempt_users: the policy has \"users\" too; keep the users that are "
			     "confined, or those that are not");
		return false;
	}
	if (policy->exempt_users.count && policy->ownerless == OWNERLESS_PASS) {
		err_set(err,
			"ownerless: \"pass\" lets out what \"exempt_users\" is to keep in; leave "
			"it out, or name the confined in \"users\", as in \"1-4294967294\"");
		return false;
	}
	return check_list(root, "allowed_hosts", policy, MODE_ALLOWLIST, err) &&
	       check_list(root, "blocked_urls", policy, MODE_BLOCKLIST, err) &&
	       check_lanes(policy, err) && check_enforcement(policy, err);
}

bool policy_parse(const char *text, size_t length, struct policy *ret, struct err *err)
{
	struct policy policy = {
		.allow_model_endpoint = true,
		.loopback_any = true,
		.pin_hosts_max = PIN_HOSTS_DEFAULT,
		.pin_addresses_max = PIN_ADDRESSES_DEFAULT,
	};
	struct parsed parsed = { 0 };
	bool success;

	if (length > POLICY_TEXT_MAX) {
		err_set(err, "the policy is larger than %d MiB", POLICY_TEXT_MAX / (1024 * 1024));
		return false;
	}
	if (!document_read(text, length, FIELD_LONG, &parsed.root, &parsed.list, err))
		return false;
	success = read_fields(&parsed, &policy, err) && check_whole(parsed.root, &policy, err);
	json_decref(parsed.root);
	if (!success) {
		policy_free(&policy);
		return false;
	}
	policy_canary_normalise(&policy.canary);
	*ret = policy;
	return true;
}
