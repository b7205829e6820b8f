/* log.c: egressfw log: refused packets as JSON lines, from the kernel's log group. */
#include "cmd/need.h"

#include "base/memory.h"
#include "cmd/log_names.h"
#include "cmd/log_summary.h"
#include "kernel/log_group.h"
#include "plan/ruleset.h"
#include "policy/decide.h"
#include "system/privilege.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* RFC 3339 in UTC with milliseconds; now, where the kernel gave no time. */
static void format_time(uint64_t time_us, char out[40])
{
	struct timespec now;
	struct tm parts;
	time_t seconds;

	if (!time_us) {
		clock_gettime(CLOCK_REALTIME, &now);
		time_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	}
	seconds = (time_t)(time_us / 1000000);
	gmtime_r(&seconds, &parts);
	strftime(out, 40, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(out + strlen(out), 40 - strlen(out), ".%03uZ", (unsigned)(time_us / 1000 % 1000));
}

/* Whoever made it could name it almost anything. */
static const char *interface_name(const struct log_record *record, char ret[IF_NAMESIZE])
{
	size_t length = 0;

	for (const char *at = record->out_interface; *at; at++)
		ret[length++] = *at < ' ' || *at > '~' ? '?' : *at;
	ret[length] = '\0';
	return ret;
}

/* host is the name that was pinned to the address, where there is one. */
static char *format_record(const struct log_record *record, const char *name)
{
	char when[40], source[ADDRESS_TEXT_SIZE], destination[ADDRESS_TEXT_SIZE];
	char interface[IF_NAMESIZE];
	json_t *object;
	char *text, *line;

	format_time(record->time_us, when);
	address_format(&record->destination, destination);
	object = json_pack(
		"{s:s, s:s, s:n, s:s, s:i, s:n, s:s, s:s, s:s, s:o, s:s, s:i, s:i, s:i, s:i, s:s, "
		"s:i, s:s}",
		"time", when, "layer", layer_name(LAYER_KERNEL), "method", "host",
		name ? name : destination, "port", record->destination_port, "path", "decision",
		verdict_name(VERDICT_BLOCK), "rule", "refuse", "reason",
		"the policy does not name this destination", "uid",
		record->has_uid ? json_integer(record->uid) : json_null(), "dest_ip", destination,
		"bytes_up", record->length, "bytes_down", 0, "duration_ms", 0, "protocol",
		record->protocol, "source_ip", address_format(&record->source, source),
		"source_port", record->source_port, "interface", interface_name(record, interface));
	text = object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	if (!text)
		memory_exhausted();
	json_decref(object);
	line = memory_format("%s\n", text);
	free(text);
	return line;
}

/* One write per line, so that lines of several writers on one O_APPEND descriptor do not mix. */
static bool write_line(const char *line, struct err *err)
{
	size_t length = strlen(line), written = 0;

	while (written < length) {
		ssize_t count = write(STDOUT_FILENO, line + written, length - written);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0) {
			err_set_errno(err, errno, "standard output");
			return false;
		}
		written += (size_t)count;
	}
	return true;
}

static bool show_ready(struct log_group *log, struct log_names *names, struct err *err)
{
	for (;;) {
		struct log_record record;
		uint64_t lost = 0;
		bool some;

		if (!log_group_read(log, 0, &record, &some, &lost, err))
			return false;
		if (lost)
			fprintf(stderr, "egressfw log: %" PRIu64 " records were lost\n", lost);
		if (!some)
			return true;
		if (strncmp(record.prefix, LOG_PREFIX, strlen(LOG_PREFIX)))
			continue;
		autofree char *line =
			format_record(&record, log_names_find(names, &record.destination));
		if (!write_line(line, err))
			return false;
	}
}

static bool follow(struct log_group *log, struct log_names *names, int signals, struct err *err)
{
	struct pollfd descriptors[2] = { { log_group_descriptor(log), POLLIN, 0 },
					 { signals, POLLIN, 0 } };

	for (;;) {
		if (poll(descriptors, 2, -1) < 0 && errno != EINTR) {
			err_set_errno(err, errno, "waiting for the kernel's log group");
			return false;
		}
		if (descriptors[0].revents && !show_ready(log, names, err))
			return false;
		if (descriptors[1].revents)
			return true;
	}
}

static bool open_log(struct log_group **ret, struct failure *failure)
{
	static const enum privilege needed[] = { PRIVILEGE_NET_ADMIN };
	bool busy = false, good;
	struct err lowering;

	if (!privilege_begin(&failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	if (!need_privileges(needed, 1, failure))
		return false;
	if (!privilege_raise(PRIVILEGE_NET_ADMIN, &failure->err))
		return failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
	good = log_group_open(LOG_GROUP, ret, &busy, &failure->err);
	if (!privilege_lower(&lowering) && good) {
		failure->err = lowering;
		log_group_close(*ret);
		good = false;
	}
	if (!good && busy)
		err_wrap(&failure->err, "another program reads log group %d", LOG_GROUP);
	return good || failure_set(failure, EXIT_CANNOT, NOTHING_CHANGED);
}

/* Waiting would be silent, and for ever. Where it cannot be told, nothing is said. */
static void say_where_nothing_stands(struct session *session)
{
	struct failure ignored;
	bool any;

	if (session_open_firewall(session, &ignored) &&
	    firewall_any_stands(&session->firewall, &any, &ignored.err) && !any)
		fputs("egressfw log: there is no table of ours: nothing is refused, and nothing "
		      "shown, until apply has made one\n",
		      stderr);
	if (firewall_is_open(&session->firewall))
		firewall_close(&session->firewall);
}

/* What was refused, until the end. */
static bool watch(struct log_group *log, struct session *session, struct err *err)
{
	struct log_names names = { .state = session->state };
	bool bounding_left, good;
	sigset_t signals;
	int descriptor;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	descriptor = signalfd(-1, &signals, SFD_CLOEXEC);
	if (descriptor < 0)
		err_set_errno(err, errno, "signalfd");
	good = descriptor >= 0 && privilege_drop(&bounding_left, err) &&
	       follow(log, &names, descriptor, err);
	log_names_free(&names);
	if (descriptor >= 0)
		close(descriptor);
	return good;
}

int cmd_log(const struct options *options)
{
	struct session session = { .options = options };
	struct log_group *log;
	struct failure failure;
	bool good;

	if (options->summary || options->html)
		return log_summary_run(options);
	if (options->argument_count) {
		err_set(&failure.err, "files are read with --summary or --html");
		failure_set(&failure, EXIT_USAGE, NOTHING_CHANGED);
		return failure_print(&failure, options);
	}
	if (!open_log(&log, &failure))
		return failure_print(&failure, options);
	/* Without it addresses have no names, which is no reason to show nothing. */
	good = session_open_state(&session, false, &failure) || !options->state_given;
	if (good)
		say_where_nothing_stands(&session);
	if (good && !watch(log, &session, &failure.err))
		good = failure_set(&failure, EXIT_CANNOT,
				   "no more refused packets are shown; the rules are not touched");
	log_group_close(log);
	session_end(&session);
	return good ? EXIT_DONE : failure_print(&failure, options);
}
