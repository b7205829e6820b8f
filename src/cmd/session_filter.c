/* session_filter.c: where the filter listens and logs, which program it is, and whom it asks. */
#include "cmd/session.h"

#include "base/memory.h"
#include "cmd/filter_settings.h"
#include "config.h"
#include "system/loopback.h"
#include "system/resolver_config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DNS_PORT = 53 };
#define PROGRAM_NAME "egressfilter"

static void add(struct address_ports *list, const struct address *address, uint16_t port)
{
	list->items = memory_resize(list->items, list->count + 1, sizeof(*list->items));
	list->items[list->count++] = (struct address_port){ *address, port };
}

static void copy(const struct address_ports *from, struct address_ports *ret)
{
	for (size_t i = 0; i < from->count; i++)
		add(ret, &from->items[i].address, from->items[i].port);
}

void filter_default_listen(struct address_ports *ret)
{
	static const struct address local4 = { FAMILY_IPV4, { 127, [3] = 1 } },
				    local6 = { FAMILY_IPV6, { [15] = 1 } };

	add(ret, &local4, FILTER_PORT_DEFAULT);
	if (loopback_has(&local6))
		add(ret, &local6, FILTER_PORT_DEFAULT);
}

/* Servers that have a zone are left out: the filter's settings have no word for one. */
bool session_find_nameservers(struct address_ports *ret, struct err *err)
{
	struct nameservers servers;

	if (!nameservers_read("/etc/resolv.conf", &servers, err))
		return false;
	for (size_t i = 0; i < servers.count; i++)
		if (!servers.items[i].scope)
			add(ret, &servers.items[i].address, DNS_PORT);
	return true;
}

char *filter_program_find(void)
{
	static const char *const installed[] = { SBINDIR "/" PROGRAM_NAME,
						 LIBEXECDIR "/" PROGRAM_NAME };
	char own[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
	const char *slash = length > 0 ? memrchr(own, '/', (size_t)length) : NULL;
	autofree char *beside = slash ? memory_format("%.*s/" PROGRAM_NAME, (int)(slash - own), own)
				      : memory_copy_string(installed[0]);

	for (size_t i = 0; i < sizeof(installed) / sizeof(*installed); i++)
		if (access(beside, X_OK) && !access(installed[i], X_OK))
			return memory_copy_string(installed[i]);
	return memory_copy_string(beside);
}

char *session_filter_log_directory(const struct session *session)
{
	uint32_t uid = session->filter.uid;

	return uid == session->usual_filter_uid
		       ? memory_copy_string(FILTER_LOG_DIRECTORY)
		       : memory_format(FILTER_LOG_DIRECTORY "-%u", (unsigned)uid);
}

bool session_settle_filter(struct session *session, const struct filter_plan *kept,
			   struct failure *failure)
{
	const struct options *options = session->options;
	struct filter_plan *filter = &session->filter;
	autofree char *directory = session_filter_log_directory(session);
	char table[RULESET_NAME_SIZE];

	if (!session->filtered)
		return true;
	plan_table_name(options->instance, table);
	if (options->filter_listen.count)
		copy(&options->filter_listen, &filter->listen);
	else if (kept)
		copy(&kept->listen, &filter->listen);
	else
		filter_default_listen(&filter->listen);
	if (!session_find_nameservers(&filter->nameservers, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	filter->log = options->filter_log ? memory_copy_string(options->filter_log)
		      : kept              ? memory_copy_string(kept->log)
					  : memory_format("%s/%s.log", directory, table);
	filter->log_files = options->filter_log_files ? (uint8_t)options->filter_log_files
			    : kept                    ? kept->log_files
						      : FILTER_LOG_FILES_DEFAULT;
	filter->log_full = options->filter_log_full_given ? options->filter_log_full
			   : kept                         ? kept->log_full
							  : LOG_FULL_DROP;
	filter->denial = options->filter_denial_given ? options->filter_denial
			 : kept                       ? kept->denial
						      : DENIAL_PLAIN;
	filter->program = options->filter_program ? memory_copy_string(options->filter_program)
			  : kept                  ? memory_copy_string(kept->program)
						  : filter_program_find();
	filter->start = kept ? kept->start : !options->no_filter_start;
	if (strlen(filter->program) <= FILTER_PATH_MAX) {
		struct buffer settings = { 0 };

		bool good;

		filter_settings_print(&session->policy, filter, &settings);
		filter_settings_digest(&settings, filter->settings);
		good = kept || filter_settings_check(filter, &settings, &failure->err);
		buffer_free(&settings);
		return good || failure_set(failure, EXIT_USAGE, NOTHING_CHANGED);
	}
	err_set(&failure->err, "%.64s...: is a longer path than the %d bytes that can be kept",
		filter->program, FILTER_PATH_MAX);
	return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}
