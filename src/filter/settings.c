/* settings.c: the settings of egressfilter, read member by member. */
#include "filter/settings.h"

#include "base/memory.h"
#include "policy/document.h"
#include "policy/literal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct limits limits_default = {
	.connections = 8192,
	.header_bytes = 64 * 1024,
	.hello_bytes = 32 * 1024,
	.head_ms = 15 * 1000,
	.connect_ms = 15 * 1000,
	.idle_ms = 4 * 60 * 60 * 1000,
};

typedef bool member_reader(const json_t *value, struct settings *settings, struct err *err);

/* The policy's own reader wants text, so that it is the same whoever reads it. */
static bool read_policy(const json_t *value, struct settings *settings, struct err *err)
{
	autofree char *text = NULL;

	if (!json_is_object(value))
		return document_unexpected("policy", "an object, the policy", value, err);
	text = json_dumps(value, JSON_COMPACT);
	if (!text)
		memory_exhausted();
	if (!policy_parse(text, strlen(text), &settings->policy, err)) {
		err_wrap(err, "policy");
		return false;
	}
	return true;
}

static bool read_address_ports(const char *path, const json_t *value, size_t most,
			       struct address_ports *ret, struct err *err)
{
	const json_t *entry;
	size_t index;

	if (!json_is_array(value))
		return document_unexpected(path, "an array of \"address:port\"", value, err);
	if (json_array_size(value) > most) {
		err_set(err, "%s: has %zu entries; there may be %zu", path, json_array_size(value),
			most);
		return false;
	}
	ret->items = memory_allocate(json_array_size(value), sizeof(*ret->items));
	json_array_foreach (value, index, entry) {
		struct address_port *item = &ret->items[ret->count];
		char place[32];

		snprintf(place, sizeof(place), "%s[%zu]", path, index);
		if (!json_is_string(entry))
			return document_unexpected(place, "\"address:port\"", entry, err);
		if (!address_port_parse(json_string_value(entry), item, err)) {
			err_wrap(err, "%s", place);
			return false;
		}
		for (size_t i = 0; i < ret->count; i++)
			if (address_port_equal(&ret->items[i], item)) {
				err_set(err, "%s: is the same as %s[%zu]; remove one", place, path,
					i);
				return false;
			}
		ret->count++;
	}
	return true;
}

static bool read_listen(const json_t *value, struct settings *settings, struct err *err)
{
	if (!read_address_ports("listen", value, LISTEN_MAX, &settings->listen, err))
		return false;
	if (!settings->listen.count) {
		err_set(err, "listen: the array is empty; name a loopback address and a port");
		return false;
	}
	for (size_t i = 0; i < settings->listen.count; i++) {
		char text[ADDRESS_TEXT_SIZE];
		const struct address *address = &settings->listen.items[i].address;

		if (!literal_is_loopback(address)) {
			err_set(err,
				"listen[%zu]: %s is no loopback address; the filter would serve "
				"the whole network",
				i, address_format(address, text));
			return false;
		}
	}
	return true;
}

static bool read_nameservers(const json_t *value, struct settings *settings, struct err *err)
{
	return read_address_ports("nameservers", value, NAMESERVER_MAX, &settings->nameservers,
				  err);
}

static bool read_log(const json_t *value, struct settings *settings, struct err *err)
{
	const char *path = json_string_value(value);

	if (!path || path[0] != '/')
		return document_unexpected("log", "an absolute path", value, err);
	settings->log = memory_copy_string(path);
	return true;
}

static bool read_log_size(const json_t *value, struct settings *settings, struct err *err)
{
	static_assert(LOG_SIZE_LEAST == 4096, "the sentence below");
	return document_number("log_size", value, "a number of bytes from 4096 to 4294967295",
			       LOG_SIZE_LEAST, UINT32_MAX, &settings->log_size, err);
}

static bool read_log_files(const json_t *value, struct settings *settings, struct err *err)
{
	static_assert(FILTER_LOG_FILES_MAX == 99, "the sentence below");
	return document_number("log_files", value, "a number from 1 to 99", 1, FILTER_LOG_FILES_MAX,
			       &settings->log_files, err);
}

static bool read_log_full(const json_t *value, struct settings *settings, struct err *err)
{
	const char *words[LOG_FULL_WORDS];
	size_t index;

	for (size_t i = 0; i < LOG_FULL_WORDS; i++)
		words[i] = log_full_name((enum log_full)i);
	if (!document_word("log_full", value, words, LOG_FULL_WORDS, &index, err))
		return false;
	settings->log_full = (enum log_full)index;
	return true;
}

static bool read_denial(const json_t *value, struct settings *settings, struct err *err)
{
	const char *words[DENIALS];
	size_t index;

	for (size_t i = 0; i <= DENIAL_HIDDEN; i++)
		words[i] = denial_name((enum denial)i);
	if (!document_word("denial", value, words, DENIALS, &index, err))
		return false;
	settings->denial = (enum denial)index;
	return true;
}

/* Below `first` ordinary clients fail, above `last` the limit is none. */
struct limit_row {
	const char *name;
	size_t offset;
	uint32_t first, last;
};

#define LIMIT(name, first, last)                                                                   \
	{                                                                                          \
#name, offsetof(struct limits, name), first, last                                  \
	}
static const struct limit_row limit_rows[] = {
	LIMIT(connections, 1, 1000000),      LIMIT(header_bytes, 1024, 1024 * 1024),
	LIMIT(hello_bytes, 512, 256 * 1024), LIMIT(head_ms, 1, 3600000),
	LIMIT(connect_ms, 1, 3600000),       LIMIT(idle_ms, 1, UINT32_MAX),
};
enum { LIMITS = sizeof(limit_rows) / sizeof(*limit_rows) };

static bool read_limits(const json_t *value, struct settings *settings, struct err *err)
{
	const char *key, *names[LIMITS];
	const json_t *number;

	for (size_t i = 0; i < LIMITS; i++)
		names[i] = limit_rows[i].name;
	if (!json_is_object(value))
		return document_unexpected("limits", "an object", value, err);
	json_object_foreach ((json_t *)value, key, number) {
		const struct limit_row *row = limit_rows;
		char path[64], expected[64];

		while (row < limit_rows + LIMITS && strcmp(row->name, key))
			row++;
		if (row == limit_rows + LIMITS)
			return document_unknown_key("limits", key, names, LIMITS, err);
		snprintf(path, sizeof(path), "limits.%s", key);
		snprintf(expected, sizeof(expected), "a number from %u to %u", row->first,
			 row->last);
		if (!document_number(path, number, expected, row->first, row->last,
				     (uint32_t *)((char *)&settings->limits + row->offset), err))
			return false;
	}
	return true;
}

static const struct {
	const char *name;
	member_reader *read;
	bool required;
} members[] = {
	{ "policy", read_policy, true },
	{ "listen", read_listen, true },
	{ "log", read_log, true },
	{ "log_size", read_log_size, false },
	{ "log_files", read_log_files, false },
	{ "log_full", read_log_full, false },
	{ "nameservers", read_nameservers, false },
	{ "denial", read_denial, false },
	{ "limits", read_limits, false },
};
enum { MEMBERS = sizeof(members) / sizeof(*members) };

static size_t find_member(const char *key)
{
	size_t i = 0;

	while (i < MEMBERS && strcmp(members[i].name, key))
		i++;
	return i;
}

/* What is unknown comes first: it may be what seems to be missing. */
static bool check_members(const json_t *root, struct err *err)
{
	const char *key, *names[MEMBERS];
	const json_t *value;

	for (size_t i = 0; i < MEMBERS; i++)
		names[i] = members[i].name;
	json_object_foreach ((json_t *)root, key, value)
		if (find_member(key) == MEMBERS)
			return document_unknown_key(NULL, key, names, MEMBERS, err);
	for (size_t i = 0; i < MEMBERS; i++)
		if (members[i].required && !json_object_get(root, names[i])) {
			err_set(err, "%s: is missing", names[i]);
			return false;
		}
	return true;
}

static bool read_members(const json_t *root, struct settings *settings, struct err *err)
{
	const char *key;
	const json_t *value;

	if (!check_members(root, err))
		return false;
	json_object_foreach ((json_t *)root, key, value)
		if (!members[find_member(key)].read(value, settings, err))
			return false;
	return true;
}

bool settings_parse(const char *text, size_t length, struct settings *ret, struct err *err)
{
	struct settings settings = { .log_size = LOG_SIZE_DEFAULT,
				     .log_files = FILTER_LOG_FILES_DEFAULT,
				     .limits = limits_default };
	struct long_list none = { 0 };
	json_t *root;
	bool good;

	if (!document_read(text, length, "", &root, &none, err))
		return false;
	good = read_members(root, &settings, err);
	json_decref(root);
	if (good)
		*ret = settings;
	else
		settings_free(&settings);
	return good;
}

void settings_free(struct settings *settings)
{
	policy_free(&settings->policy);
	free(settings->listen.items);
	free(settings->nameservers.items);
	free(settings->log);
}
