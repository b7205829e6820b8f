/* resolver_process.c: the process that resolves: what it may, and what becomes of it. */
#include "resolver_test.h"

#include "base/memory.h"
#include "system/resolver.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What happens to the resolving process when progress is reported for the first time. */
struct meeting {
	int signal; /* 0: it is looked at only */
	unsigned calls;
	size_t open, total;
	char *status, *limits;
	unsigned descriptors, sockets;
	pid_t child;
};

/* The child of this process that is not the DNS server. */
static pid_t find_child(void)
{
	autofree char *path = memory_format("/proc/%d/task/%d/children", getpid(), getpid());
	autofree char *text = file_read(path);
	char *rest = NULL;

	for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		if (atoi(word) != world.server)
			return atoi(word);
	return 0;
}

static char *read_of(pid_t child, const char *file)
{
	autofree char *path = memory_format("/proc/%d/%s", child, file);

	return file_read(path);
}

static void count_descriptors(struct meeting *meeting)
{
	autofree char *path = memory_format("/proc/%d/fd", meeting->child);
	DIR *directory = opendir(path);
	struct dirent *entry;

	ck_assert(directory);
	while ((entry = readdir(directory))) {
		autofree char *link = memory_format("%s/%s", path, entry->d_name);
		char target[64] = "";

		if (entry->d_name[0] == '.' || readlink(link, target, sizeof(target) - 1) < 0)
			continue;
		meeting->descriptors++;
		meeting->sockets += !strncmp(target, "socket:", 7);
	}
	closedir(directory);
}

static void meet(void *context, size_t open, size_t total, unsigned elapsed_ms)
{
	struct meeting *meeting = context;

	ck_assert_uint_ge(elapsed_ms, 1000);
	if (meeting->calls++)
		return;
	meeting->open = open;
	meeting->total = total;
	meeting->child = find_child();
	ck_assert_int_ne(meeting->child, 0);
	meeting->status = read_of(meeting->child, "status");
	meeting->limits = read_of(meeting->child, "limits");
	count_descriptors(meeting);
	if (meeting->signal)
		kill(meeting->child, meeting->signal);
}

static void meeting_free(struct meeting *meeting)
{
	free(meeting->status);
	free(meeting->limits);
}

/* Resolves a name that is never answered; the text of the result or of the error. */
static char *resolve_and_meet(struct meeting *meeting, unsigned timeout_ms)
{
	struct policy policy = policy_of("found.test silent.test");
	struct resolver_settings settings = {
		.resolv_conf = world.resolv_conf,
		.timeout_ms = timeout_ms,
		.progress = meet,
		.context = meeting,
	};
	struct resolved resolved;
	struct err err;
	char *text;

	world_serve_here(&world, "found.test A 203.0.113.5\nfound.test AAAA\n* ANY drop=all\n");
	if (resolver_run(&policy, &settings, &resolved, &err)) {
		text = resolved_text(&resolved);
		resolved_free(&resolved);
	} else {
		text = memory_copy_string(err.text);
	}
	policy_done(&policy);
	/* It is gone, and nobody is left to be waited for but the server. */
	ck_assert_int_eq(find_child(), 0);
	return text;
}

static void has_line(const char *text, const char *line)
{
	ck_assert_msg(strstr(text, line) != NULL, "no \"%s\" in:\n%s", line, text);
}

/* No capability, no way to one, no descriptor but its own, no core, no file, no child. */
START_TEST(child_is_isolated)
{
	struct meeting meeting = { .signal = 0 };
	int other = socket(AF_INET, SOCK_DGRAM, 0), pipes[2];
	char *text;

	ck_assert_int_ge(other, 0);
	ck_assert_int_eq(pipe(pipes), 0);
	text = resolve_and_meet(&meeting, 1600);
	ck_assert_str_eq(text, "found.test: found 203.0.113.5, silent.test: timeout");
	ck_assert_uint_eq(meeting.calls, 1);
	ck_assert_uint_eq(meeting.open, 1);
	ck_assert_uint_eq(meeting.total, 2);
	has_line(meeting.status, "\nCapInh:\t0000000000000000\n");
	has_line(meeting.status, "\nCapPrm:\t0000000000000000\n");
	has_line(meeting.status, "\nCapEff:\t0000000000000000\n");
	has_line(meeting.status, "\nCapBnd:\t0000000000000000\n");
	has_line(meeting.status, "\nCapAmb:\t0000000000000000\n");
	has_line(meeting.status, "\nNoNewPrivs:\t1\n");
	has_line(meeting.limits, "\nMax core file size        0                    0 ");
	has_line(meeting.limits, "\nMax file size             0                    0 ");
	has_line(meeting.limits, "\nMax processes             0                    0 ");
	/* Standard input, output and error, the pipe, what waits for all sockets, and that of one server. */
	ck_assert_uint_eq(meeting.sockets, 1);
	ck_assert_uint_le(meeting.descriptors, 6);
	meeting_free(&meeting);
	free(text);
	close(other);
	close(pipes[0]);
	close(pipes[1]);
}
END_TEST

START_TEST(death_is_named)
{
	static const struct {
		int signal;
		const char *name;
	} signals[] = { { SIGTERM, "SIGTERM" },
			{ SIGKILL, "SIGKILL" },
			{ SIGABRT, "SIGABRT" },
			{ SIGSYS, "SIGSYS" } };
	struct meeting meeting = { .signal = signals[_i].signal };
	char *text = resolve_and_meet(&meeting, 60000);
	autofree char *want =
		memory_format("the resolving process was ended by %s", signals[_i].name);

	ck_assert_str_eq(text, want);
	meeting_free(&meeting);
	free(text);
}
END_TEST

/* A child that does not move is ended when its time and a margin are over. */
START_TEST(child_that_hangs)
{
	struct meeting meeting = { .signal = SIGSTOP };
	struct timespec start, end;
	char *text;

	clock_gettime(CLOCK_MONOTONIC, &start);
	text = resolve_and_meet(&meeting, 1500);
	clock_gettime(CLOCK_MONOTONIC, &end);
	ck_assert_str_eq(text, "the resolving process did not answer within 3500 ms");
	ck_assert_int_le(end.tv_sec - start.tv_sec, 5);
	meeting_free(&meeting);
	free(text);
}
END_TEST

/* The parent is killed: the child does not stay behind. */
START_TEST(child_dies_with_its_parent)
{
	struct policy policy = policy_of("silent.test");
	struct resolver_settings settings = { .resolv_conf = world.resolv_conf,
					      .timeout_ms = 60000 };
	struct resolved resolved;
	struct err err;
	pid_t parent, child = 0;

	world_serve_here(&world, "* ANY drop=all\n");
	parent = fork();
	ck_assert_int_ge(parent, 0);
	if (!parent)
		_exit(resolver_run(&policy, &settings, &resolved, &err));
	for (int i = 0; i < 300 && !world_asked_like(&world, "silent.test A "); i++)
		usleep(10000);
	{
		autofree char *path = memory_format("/proc/%d/task/%d/children", parent, parent);
		autofree char *text = file_read(path);

		child = atoi(text);
	}
	ck_assert_int_gt(child, 0);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	for (int i = 0; i < 300 && !kill(child, 0); i++) {
		autofree char *status = read_of(child, "status");

		/* A zombie that nobody has reaped yet is dead as well. */
		if (!*status || strstr(status, "State:\tZ"))
			break;
		usleep(10000);
		ck_assert_int_lt(i, 299);
	}
	policy_done(&policy);
}
END_TEST

/* Standard descriptors that are closed make no difference. */
START_TEST(closed_standard_descriptors)
{
	int saved[3];

	world_serve_here(&world, "a.test A 203.0.113.5\n");
	for (int i = 0; i < 3; i++) {
		saved[i] = dup(i);
		close(i);
	}
	{
		autofree char *text = resolve("a.test", TEST_TIMEOUT_MS, NULL);

		for (int i = 0; i < 3; i++)
			dup2(saved[i], i);
		ck_assert_str_eq(text, "a.test: found 203.0.113.5");
	}
}
END_TEST

/* Nothing to resolve starts nothing and needs nothing. */
START_TEST(no_names)
{
	expect("", "");
}
END_TEST

START_TEST(too_many_names)
{
	struct policy policy = policy_of("a.test b.test c.test");
	struct resolver_settings settings = { .resolv_conf = world.resolv_conf,
					      .timeout_ms = 1000 };
	struct resolved resolved;
	struct err err;

	policy.pin_hosts_max = 2;
	ck_assert(!resolver_run(&policy, &settings, &resolved, &err));
	policy_done(&policy);
}
END_TEST

TCase *process_cases(void)
{
	TCase *cases = tcase_create("process");

	tcase_add_test(cases, child_is_isolated);
	tcase_add_loop_test(cases, death_is_named, 0, 4);
	tcase_add_test(cases, child_that_hangs);
	tcase_add_test(cases, child_dies_with_its_parent);
	tcase_add_test(cases, closed_standard_descriptors);
	tcase_add_test(cases, no_names);
	tcase_add_test(cases, too_many_names);
	return cases;
}
