/* attempt.c: tries exactly one way to send something, as one uid, and prints what came of it. */
#include "attempt.h"

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * attempt [STEP...] NAME ADDRESS:PORT     (an IPv6 address in brackets)
 * attempt STEP... NAME ADDRESS:PORT -- COMMAND...   (with the step --at)
 * attempt --lines     a PROGRAM with such arguments on each line of standard input, one after another
 * attempt --help-others     serves as the willing root process
 * attempt --list
 *
 * Steps are taken in their order, see attempt_step.c: --uid UID, --open, ...
 *
 * Prints one line `WORD MICROSECONDS`: connected, answered, opened, sent, timeout, the name of an
 * errno, `option:ERRNO` or `no-kernel`. The exit status is 0 for the first three, 1 for all others,
 * 2 for misuse.
 */

int target_family(const struct target *target)
{
	return target->address.ss_family;
}

static bool read_target(char *text, struct target *ret)
{
	char *colon = strrchr(text, ':');
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	uint16_t port;

	if (!colon)
		return false;
	*colon = '\0';
	port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
	*ret = (struct target){ 0 };
	if (*text == '[' && colon > text && colon[-1] == ']') {
		colon[-1] = '\0';
		six.sin6_port = port;
		if (inet_pton(AF_INET6, text + 1, &six.sin6_addr) != 1)
			return false;
		memcpy(&ret->address, &six, sizeof(six));
		ret->size = sizeof(six);
		return true;
	}
	four.sin_port = port;
	if (inet_pton(AF_INET, text, &four.sin_addr) != 1)
		return false;
	memcpy(&ret->address, &four, sizeof(four));
	ret->size = sizeof(four);
	return true;
}

static bool has_no_kernel_support(int errnum)
{
	return errnum == EPROTONOSUPPORT || errnum == ESOCKTNOSUPPORT || errnum == EAFNOSUPPORT ||
	       errnum == EINVAL;
}

bool trying_open(struct trying *trying, struct outcome *ret)
{
	const struct attempt *attempt = trying->attempt;
	int family = target_family(&trying->target), protocol = attempt->protocol;

	if (trying->descriptor >= 0)
		return true;
	if (!protocol)
		protocol = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;
	trying->descriptor = attempt->open ? attempt->open(attempt, &trying->target)
					   : socket(family, attempt->type | SOCK_CLOEXEC, protocol);
	if (trying->descriptor < 0) {
		ret->errnum = errno;
		ret->result = has_no_kernel_support(errno) ? RESULT_NO_KERNEL : RESULT_REFUSED;
		return false;
	}
	if (attempt->prepare && !attempt->prepare(trying->descriptor, &trying->target)) {
		*ret = (struct outcome){ RESULT_OPTION, errno };
		return false;
	}
	return true;
}

static void print(struct outcome outcome, long microseconds)
{
	static const char *const words[] = {
		[RESULT_CONNECTED] = "connected", [RESULT_ANSWERED] = "answered", [RESULT_OPENED] = "opened",
		[RESULT_SENT] = "sent",		  [RESULT_TIMEOUT] = "timeout",	  [RESULT_REFUSED] = "",
		[RESULT_OPTION] = "option:",	  [RESULT_NO_KERNEL] = "no-kernel",
	};
	bool with_errno = outcome.result == RESULT_REFUSED || outcome.result == RESULT_OPTION;
	const char *name = strerrorname_np(outcome.errnum);

	_Static_assert(sizeof(words) / sizeof(*words) == RESULTS, "a word for every result");
	printf("%s%s %ld\n", words[outcome.result], !with_errno ? "" : name ? name : "unknown", microseconds);
	fflush(stdout);
}

static bool succeeded(struct outcome outcome)
{
	return outcome.result == RESULT_CONNECTED || outcome.result == RESULT_ANSWERED ||
	       outcome.result == RESULT_OPENED;
}

/* Takes NAME and TARGET, which stand last or before "--". */
static void read_what(struct trying *trying, char **arguments, int *count)
{
	int last = 0;

	while (last < *count && strcmp(arguments[last], "--") != 0)
		last++;
	if (last < *count)
		trying->command = arguments + last + 1;
	if (last < 2 || !read_target(arguments[last - 1], &trying->target))
		errx(2, "usage: attempt [STEP...] NAME ADDRESS:PORT [-- COMMAND...]");
	*count = last - 2;
	trying->attempt = find_attempt(arguments[*count]);
	if (!trying->attempt)
		errx(2, "%s: no such attempt", arguments[*count]);
}

static struct outcome try(struct trying *trying, char **arguments, int count)
{
	struct outcome outcome = { RESULT_OPTION, 0 };

	for (int taken, i = 0; i < count; i += taken) {
		taken = take_step(trying, arguments + i, &outcome);
		if (taken < 0)
			return outcome;
	}
	if (trying_open(trying, &outcome))
		outcome = trying->attempt->act(trying->descriptor, &trying->target);
	return outcome;
}

/* A confined process is started once and tries everything. */
static int try_lines(void)
{
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		char *arguments[32] = { NULL };
		int count = 0, status;
		pid_t child;

		for (char *word = strtok(line, " \n"); word && count < 31; word = strtok(NULL, " \n"))
			arguments[count++] = word;
		child = fork();
		if (child < 0)
			err(2, "fork");
		if (child == 0) {
			execv(arguments[0], arguments);
			print((struct outcome){ RESULT_OPTION, errno }, 0);
			_exit(2);
		}
		if (waitpid(child, &status, 0) != child)
			err(2, "waitpid");
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct trying trying = { .descriptor = -1 };
	struct timespec begin, end;
	struct outcome outcome;
	int count = argc - 1;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 2 && strcmp(argv[1], "--lines") == 0)
		return try_lines();
	if (argc == 2 && strcmp(argv[1], "--help-others") == 0)
		help_others();
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		list_attempts();
		return 0;
	}
	read_what(&trying, argv + 1, &count);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	outcome = try(&trying, argv + 1, count);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (trying.descriptor >= 0)
		close(trying.descriptor);
	print(outcome, (end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000);
	return succeeded(outcome) ? 0 : 1;
}
