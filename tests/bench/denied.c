/* denied.c: how fast a confined user's TCP connect is refused, and whether one of many hangs. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/fsuid.h>
#include <time.h>
#include <unistd.h>

/*
 * denied UID COUNT ADDRESS... makes COUNT blocking connects to port 443 of each address, one
 * after another, each from a socket that the uid opened. Prints per address the median and the
 * longest microseconds of connect(2). Anything but ECONNREFUSED is a failure: then nothing was
 * measured.
 */
enum { COUNT_MAX = 1000000, PORT = 443 };

static void fail(const char *what, int errnum)
{
	fprintf(stderr, "denied: %s: %s\n", what, strerror(errnum));
	exit(EXIT_FAILURE);
}

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static socklen_t read_address(const char *text, struct sockaddr_storage *ret)
{
	struct sockaddr_in *four = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)ret;

	*ret = (struct sockaddr_storage){ 0 };
	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(PORT);
		return sizeof(*four);
	}
	if (inet_pton(AF_INET6, text, &six->sin6_addr) != 1)
		fail(text, EINVAL);
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(PORT);
	return sizeof(*six);
}

/* Microseconds until the connect is refused. */
static double connect_once(const char *text, const struct sockaddr_storage *target,
			   socklen_t length)
{
	struct timespec begun, ended;
	int descriptor = socket(target->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), errnum = 0;

	if (descriptor < 0)
		fail("socket", errno);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	if (connect(descriptor, (const struct sockaddr *)target, length))
		errnum = errno;
	clock_gettime(CLOCK_MONOTONIC, &ended);
	close(descriptor);
	if (errnum != ECONNREFUSED)
		fail(text, errnum);
	return (double)(ended.tv_sec - begun.tv_sec) * 1e6 +
	       (double)(ended.tv_nsec - begun.tv_nsec) / 1e3;
}

int main(int argc, char **argv)
{
	size_t count;
	double *microseconds;

	if (argc < 4 || !(count = strtoul(argv[2], NULL, 10)) || count > COUNT_MAX)
		fail("usage: denied UID COUNT ADDRESS...", EINVAL);
	microseconds = calloc(count, sizeof(*microseconds));
	if (!microseconds)
		fail("memory", ENOMEM);
	setfsuid((uid_t)strtoul(argv[1], NULL, 10));
	for (char **text = argv + 3; *text; text++) {
		struct sockaddr_storage target;
		socklen_t length = read_address(*text, &target);

		for (size_t i = 0; i < count; i++)
			microseconds[i] = connect_once(*text, &target, length);
		qsort(microseconds, count, sizeof(*microseconds), compare_doubles);
		printf("%s %.3f %.3f\n", *text, microseconds[count / 2], microseconds[count - 1]);
	}
	free(microseconds);
	return EXIT_SUCCESS;
}
