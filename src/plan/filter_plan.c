/* filter_plan.c: where the filter of a plan listens, as whom it runs, and what it is told. */
#include "plan/filter_plan.h"

#include "base/memory.h"
#include "plan/store_value.h"
#include "policy/literal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNPRIVILEGED_PORT = 1024, LISTENS_STORED_MAX = 64, PATH_STORED_MAX = FILTER_PATH_MAX + 1 };

static struct address_ports copy_list(const struct address_ports *list)
{
	return (struct address_ports){
		.items = memory_copy(list->items, list->count * sizeof(*list->items)),
		.count = list->count,
	};
}

void filter_plan_free(struct filter_plan *filter)
{
	free(filter->listen.items);
	free(filter->nameservers.items);
	free(filter->log);
	free(filter->program);
	*filter = (struct filter_plan){ 0 };
}

struct filter_plan filter_plan_copy(const struct filter_plan *filter)
{
	struct filter_plan copy = {
		.uid = filter->uid,
		.listen = copy_list(&filter->listen),
		.nameservers = copy_list(&filter->nameservers),
		.log = memory_copy_string(filter->log),
		.log_files = filter->log_files,
		.log_full = filter->log_full,
		.denial = filter->denial,
		.program = memory_copy_string(filter->program),
		.start = filter->start,
	};

	memcpy(copy.settings, filter->settings, sizeof(copy.settings));
	return copy;
}

bool filter_listen_check(const struct address_port *listen, struct err *err)
{
	static const struct prefix engine = { { FAMILY_IPV4, { 127, 0, 0, 11 } }, 32 };
	char text[ADDRESS_TEXT_SIZE];

	if (!literal_is_loopback(&listen->address)) {
		err_set(err, "%s is no loopback address, and others could use the filter there",
			address_format(&listen->address, text));
		return false;
	}
	if (prefix_contains(&engine, &listen->address) || listen->port == 5353) {
		err_set(err, "%s port %u is a resolver's, which the confined users cannot reach",
			address_format(&listen->address, text), listen->port);
		return false;
	}
	if (listen->port >= UNPRIVILEGED_PORT)
		return true;
	err_set(err, "port %u is one that only root may listen on: %d to 65535 were expected",
		listen->port, UNPRIVILEGED_PORT);
	return false;
}

bool filter_user_parse(const char *text, struct user_spec *ret, struct err *err)
{
	if (strcmp(text, "root") != 0 && strcmp(text, "0") != 0)
		return user_spec_parse(text, ret, err);
	err_set(err, "\"%s\" is uid 0, and the filter may not run as root: name a user of its own",
		text);
	return false;
}

bool filter_uid_check(uint32_t uid, const struct rangeset *confined, const struct rangeset *exempt,
		      struct err *err)
{
	if (uid == 0)
		err_set(err, "the filter cannot run as uid 0");
	else if (rangeset_contains(confined, uid))
		err_set(err, "uid %" PRIu32 " is a confined user, and cannot be the filter's", uid);
	else if (rangeset_contains(exempt, uid))
		err_set(err,
			"uid %" PRIu32 " is one of \"exempt_users\", and cannot be the filter's, "
			"which has rules of its own",
			uid);
	else
		return true;
	return false;
}

static void store_list(const struct address_ports *list, struct buffer *out)
{
	buffer_append_u8(out, (uint8_t)list->count);
	for (size_t i = 0; i < list->count; i++) {
		store_address(&list->items[i].address, out);
		buffer_append_u16(out, list->items[i].port);
	}
}

static bool load_list(struct cursor *cursor, struct address_ports *ret)
{
	uint8_t count;

	if (!load_choice(cursor, LISTENS_STORED_MAX, &count))
		return false;
	ret->items = memory_allocate(count, sizeof(*ret->items));
	for (; ret->count < count; ret->count++) {
		struct address_port *item = &ret->items[ret->count];

		if (!load_address(cursor, &item->address) || !cursor_u16(cursor, &item->port) ||
		    !item->port)
			return false;
	}
	return true;
}

static bool load_log_keeping(struct cursor *cursor, struct filter_plan *ret)
{
	uint8_t files, full;

	if (!load_choice(cursor, FILTER_LOG_FILES_MAX + 1, &files) || !files ||
	    !load_choice(cursor, LOG_FULL_WORDS, &full))
		return false;
	ret->log_files = files;
	ret->log_full = (enum log_full)full;
	return true;
}

static bool load_denial(struct cursor *cursor, struct filter_plan *ret)
{
	uint8_t denial;

	if (!load_choice(cursor, DENIALS, &denial))
		return false;
	ret->denial = (enum denial)denial;
	return true;
}

static bool load_path(struct cursor *cursor, char **ret)
{
	char path[PATH_STORED_MAX];

	if (!load_text(cursor, path, sizeof(path)) || *path != '/')
		return false;
	*ret = memory_copy_string(path);
	return true;
}

void store_filter(const struct filter_plan *filter, struct buffer *out)
{
	buffer_append_u32(out, filter->uid);
	store_list(&filter->listen, out);
	store_list(&filter->nameservers, out);
	store_text(filter->log, out);
	buffer_append_u8(out, filter->log_files);
	buffer_append_u8(out, (uint8_t)filter->log_full);
	buffer_append_u8(out, (uint8_t)filter->denial);
	store_text(filter->program, out);
	buffer_append_u8(out, filter->start);
	store_text(filter->settings, out);
}

bool load_filter(struct cursor *cursor, struct filter_plan *ret)
{
	struct err ignored;

	if (!cursor_u32(cursor, &ret->uid) || !ret->uid || !load_list(cursor, &ret->listen) ||
	    !ret->listen.count || !load_list(cursor, &ret->nameservers) ||
	    !load_path(cursor, &ret->log) || !load_log_keeping(cursor, ret) ||
	    !load_denial(cursor, ret) || !load_path(cursor, &ret->program) ||
	    !load_flag(cursor, &ret->start) ||
	    !load_text(cursor, ret->settings, sizeof(ret->settings)))
		return false;
	for (size_t i = 0; i < ret->listen.count; i++)
		if (!filter_listen_check(&ret->listen.items[i], &ignored))
			return false;
	return true;
}
