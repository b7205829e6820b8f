/* program.c: egressfilter from its start to its end. */
#include "filter/program.h"

#include "base/memory.h"
#include "filter/client.h"
#include "filter/confine.h"
#include "filter/listener.h"
#include "filter/names.h"
#include "filter/pipes.h"
#include "filter/program_user.h"
#include "filter/ready.h"
#include "filter/reload.h"
#include "filter/sock_owner.h"
#include "filter/turn.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	PER_CLIENT = 3,  /* descriptors: two sockets, and some more while it is dialled */
	FOR_PIPES = 512, /* or a quarter of all; octets of whoever finds no pipe are copied */
	FOR_OTHERS = 64,
};

void program_say(const char *format, ...)
{
	char line[ERR_TEXT_SIZE + 256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(stderr, "egressfilter: %s\n", line);
}

static int fail(enum program_status status, const struct err *err)
{
	program_say("%s; nothing was started", err->text);
	return status;
}

/* Whoever started it may have left some open. */
static bool close_inherited(int kept, struct err *err)
{
	unsigned first = STDERR_FILENO + 1;

	if (kept >= (int)first) {
		if (kept > (int)first && close_range(first, (unsigned)kept - 1, 0))
			goto failed;
		first = (unsigned)kept + 1;
	}
	if (!close_range(first, ~0U, 0))
		return true;
failed:
	err_set_errno(err, errno, "inherited descriptors cannot be closed");
	return false;
}

/* How many descriptors there may be; all that can be had is asked for. */
static uint64_t raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

/* Where there are fewer than the settings want, they get less, and it is said. */
static void settle_descriptors(struct filter *filter)
{
	struct limits *limits = &filter->settings.limits;
	uint64_t all = raise_descriptors(), pipes = all / 4 < FOR_PIPES ? all / 4 : FOR_PIPES;
	uint64_t room =
		all > FOR_OTHERS + pipes + PER_CLIENT ? (all - FOR_OTHERS - pipes) / PER_CLIENT : 1;

	if (room < limits->connections) {
		program_say("limits.connections: there are descriptors for %" PRIu64
			    " connections, not for %" PRIu32 ": whoever starts this has to allow "
			    "%" PRIu64 " open files (ulimit -n, LimitNOFILE=, --ulimit nofile=)",
			    room, limits->connections,
			    (uint64_t)limits->connections * PER_CLIENT + FOR_PIPES + FOR_OTHERS);
		limits->connections = (uint32_t)room;
	}
	filter->connections_max = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
	pipes_limit((unsigned)(pipes / 2));
}

static struct event_base *make_base(void)
{
	struct event_config *config = event_config_new();
	struct event_base *base;

	if (!config)
		memory_exhausted();
	event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV |
					      EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST);
	base = event_base_new_with_config(config);
	event_config_free(config);
	if (!base)
		memory_exhausted();
	return base;
}

static void say_of_log(const char *text)
{
	program_say("%s", text);
}

/* *ret_taken: another socket has the address where this one should listen. */
static bool open_filter(struct filter *filter, bool *ret_taken, struct err *err)
{
	const struct log_keeping keeping = {
		.size = filter->settings.log_size,
		.files = filter->settings.log_files,
		.full = filter->settings.log_full,
	};

	*ret_taken = false;
	TAILQ_INIT(&filter->clients);
	settle_descriptors(filter);
	filter->base = make_base();
	turns_open(filter);
	if (!decision_log_open(filter->settings.log, &keeping, &filter->log, err) ||
	    !names_open(filter->base, &filter->settings.nameservers, &filter->names, err) ||
	    !listener_open(filter, &filter->listener, ret_taken, err))
		return false;
	decision_log_tell(filter->log, say_of_log);
	filter->owners = sock_owner_open(filter->settings.listen.items);
	if (!filter->owners)
		program_say("the kernel does not tell whose a connection is: the log has no uids, "
			    "and all users share the limits");
	return true;
}

/*
 * What was opened, in whatever state; clients first, whose ends are logged. Returns the lost lines.
 */
static uint64_t close_filter(struct filter *filter)
{
	struct client *client;
	uint64_t lost = 0;

	if (filter->listener)
		listener_close(filter->listener);
	filter->listener = NULL;
	while ((client = TAILQ_FIRST(&filter->clients)))
		client_end(client, NULL);
	if (filter->names)
		names_close(filter->names);
	if (filter->log) {
		lost = decision_log_lost(filter->log);
		decision_log_close(filter->log);
	}
	sock_owner_close(filter->owners);
	turns_close(filter);
	event_base_free(filter->base);
	return lost;
}

struct running {
	struct filter *filter;
	const char *settings;
};

static void on_hangup(evutil_socket_t number, short what, void *context)
{
	const struct running *running = context;
	struct err err;

	(void)number;
	(void)what;
	/* It tells itself of one that cannot be made. */
	decision_log_reopen(running->filter->log);
	if (reload(running->filter, running->settings, &err))
		program_say("the policy was read anew");
	else
		program_say("%s; the policy from before stands", err.text);
}

static void on_end(evutil_socket_t number, short what, void *context)
{
	struct running *running = context;

	(void)number;
	(void)what;
	event_base_loopbreak(running->filter->base);
}

static int serve(struct filter *filter, const struct program_options *options, struct ready *ready)
{
	struct running running = { filter, options->settings };
	struct event *signals[] = {
		evsignal_new(filter->base, SIGHUP, on_hangup, &running),
		evsignal_new(filter->base, SIGTERM, on_end, &running),
		evsignal_new(filter->base, SIGINT, on_end, &running),
	};
	struct err err;
	int status = PROGRAM_CANNOT;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!signals[i] || event_add(signals[i], NULL))
			memory_exhausted();
	listener_start(filter->listener);
	if (!confine(&err) || !ready_tell(ready, &err)) {
		fail(status, &err);
	} else {
		turns_run(filter);
		status = PROGRAM_DONE;
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		event_free(signals[i]);
	return status;
}

int program_run(const struct program_options *options)
{
	struct filter filter = { 0 };
	enum program_status refused;
	struct ready ready;
	struct err err;
	uint64_t lost;
	bool cannot, taken;
	int status;

	if (!close_inherited(options->ready_descriptor, &err))
		return fail(PROGRAM_CANNOT, &err);
	if (!program_become_user(options, &refused, &err))
		return fail(refused, &err);
	if (!settings_read(options->settings, &filter.settings, &cannot, &err))
		return fail(cannot ? PROGRAM_CANNOT : PROGRAM_USAGE, &err);
	if (options->check) {
		settings_free(&filter.settings);
		return PROGRAM_DONE;
	}
	if (open_filter(&filter, &taken, &err) &&
	    ready_open(options->ready_descriptor, &ready, &err))
		status = serve(&filter, options, &ready);
	else
		status = fail(PROGRAM_CANNOT, &err);
	if (taken)
		ready_tell_taken(options->ready_descriptor);
	lost = close_filter(&filter);
	if (lost)
		program_say("%s: %" PRIu64 " lines could not be written", filter.settings.log,
			    lost);
	settings_free(&filter.settings);
	return status == PROGRAM_DONE && lost ? PROGRAM_LOST : status;
}
