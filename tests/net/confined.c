/* confined.c: tries one thing that a confined program may not have, and prints what came of it. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * confined socket FAMILY TYPE PROTOCOL       confined option FAMILY TYPE LEVEL NAME
 * confined pair FAMILY TYPE PROTOCOL         confined families       confined protocols
 * confined io_uring | int80 | x32 | type | descriptors | ids
 *
 * Numbers are handed to the kernel as they are, all 64 bits of them. Prints one line: "done", the name
 * of an errno, or of the signal that it would have ended by. The exit status is 0 for "done".
 */

static int answer(long result)
{
	if (result >= 0) {
		puts("done");
		return 0;
	}
	puts(strerrorname_np(errno) ? strerrorname_np(errno) : "?");
	return 1;
}

static long number(const char *text)
{
	return (long)strtoull(text, NULL, 0);
}

static int try_socket(char **words)
{
	return answer(syscall(SYS_socket, number(words[0]), number(words[1]), number(words[2])));
}

static int try_pair(char **words)
{
	int ends[2];

	return answer(syscall(SYS_socketpair, number(words[0]), number(words[1]), number(words[2]), ends));
}

static int try_option(char **words)
{
	/* Large enough for every request, and of zeros: the first interface, no address. */
	uint8_t request[512] = { 0 };
	long descriptor = syscall(SYS_socket, number(words[0]), number(words[1]), 0L);

	if (descriptor < 0)
		err(2, "socket");
	return answer(syscall(SYS_setsockopt, descriptor, number(words[2]), number(words[3]), request,
			      sizeof(request)));
}

static bool is_one_of(long value, const long *some, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (some[i] == value)
			return true;
	return false;
}

/* Every family, with nothing and with something in the upper half: prints those that are not refused. */
static int try_families(char **words)
{
	static const long kept[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };
	static const long upper[] = { 0, 1L << 32, (long)0xffffffff00000000UL };
	int wrong = 0;

	(void)words;
	for (long family = 0; family < 256; family++)
		for (size_t i = 0; i < sizeof(upper) / sizeof(*upper); i++) {
			bool wanted = is_one_of(family, kept, sizeof(kept) / sizeof(*kept)), refused;
			int ends[2];
			long got = syscall(SYS_socket, family | upper[i], (long)SOCK_DGRAM, 0L);

			refused = got < 0 && errno == EAFNOSUPPORT;
			if (got >= 0)
				close((int)got);
			if (refused == wanted) {
				printf("socket %#lx\n", family | upper[i]);
				wrong = 1;
			}
			got = syscall(SYS_socketpair, family | upper[i], (long)SOCK_DGRAM, 0L, ends);
			refused = got < 0 && errno == EAFNOSUPPORT;
			if (refused == wanted) {
				printf("socketpair %#lx\n", family | upper[i]);
				wrong = 1;
			}
		}
	return wrong;
}

/* Every protocol of netlink: prints those that are not refused, but for the first. */
static int try_protocols(char **words)
{
	int wrong = 0;

	(void)words;
	for (long protocol = 0; protocol < 32; protocol++) {
		long got = syscall(SYS_socket, (long)AF_NETLINK, (long)SOCK_RAW, protocol);

		if ((got >= 0) != (protocol == 0) || (got < 0 && errno != EAFNOSUPPORT)) {
			printf("%ld\n", protocol);
			wrong = 1;
		}
		if (got >= 0)
			close((int)got);
	}
	return wrong;
}

static int try_io_uring(char **words)
{
	struct io_uring_params parameters = { 0 };

	(void)words;
	return answer(syscall(SYS_io_uring_setup, 4L, &parameters));
}

/* In a child, since the answer may be its end. */
static int in_child(long (*call)(void))
{
	int status;
	pid_t child = fork();

	if (child < 0)
		err(2, "fork");
	if (!child)
		_exit(call() > 0 ? 0 : 1);
	if (waitpid(child, &status, 0) < 0)
		err(2, "waitpid");
	if (WIFSIGNALED(status))
		printf("SIG%s\n", sigabbrev_np(WTERMSIG(status)));
	else
		puts(WEXITSTATUS(status) ? "refused" : "done");
	return WIFSIGNALED(status) ? 1 : WEXITSTATUS(status);
}

#ifdef __x86_64__
static long call_int80(void)
{
	long result;

	/* getpid of i386 */
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static long call_x32(void)
{
	return syscall(SYS_getpid | 0x40000000);
}

static int try_int80(char **words)
{
	(void)words;
	return in_child(call_int80);
}

static int try_x32(char **words)
{
	(void)words;
	return in_child(call_x32);
}
#endif

static int try_type(char **words)
{
	(void)words;
	/* Of what is no terminal the kernel says ENOTTY, unless something else comes first. */
	return answer(ioctl(STDIN_FILENO, TIOCSTI, "x"));
}

static int try_descriptors(char **words)
{
	int found = 0;

	(void)words;
	for (int descriptor = 3; descriptor < 4096; descriptor++)
		if (fcntl(descriptor, F_GETFD) >= 0) {
			printf("%d\n", descriptor);
			found = 1;
		}
	return found;
}

static int try_ids(char **words)
{
	uid_t real, effective, saved;

	(void)words;
	if (getresuid(&real, &effective, &saved))
		err(2, "getresuid");
	printf("%u %u %u\n", real, effective, saved);
	return 0;
}

static const struct {
	const char *name;
	int words;
	int (*act)(char **words);
} trials[] = {
	{ "socket", 3, try_socket },
	{ "pair", 3, try_pair },
	{ "option", 4, try_option },
	{ "families", 0, try_families },
	{ "protocols", 0, try_protocols },
	{ "io_uring", 0, try_io_uring },
#ifdef __x86_64__
	{ "int80", 0, try_int80 },
	{ "x32", 0, try_x32 },
#endif
	{ "type", 0, try_type },
	{ "descriptors", 0, try_descriptors },
	{ "ids", 0, try_ids },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(trials) / sizeof(*trials); i++)
		if (!strcmp(argv[1], trials[i].name) && argc == trials[i].words + 2)
			return trials[i].act(argv + 2);
	errx(2, "no such trial");
}
