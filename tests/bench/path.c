/* path.c: what one packet costs in several network namespaces, measured in turn by one process. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * path udp|tcp|loopback UID ADDRESS PORT ROUNDS BURST SENDER[,SINK]...
 *
 * Each world is a sending network namespace and, except for loopback, the namespace at the other
 * end of its veth. Every round sends one burst in each world, the order changing from round to
 * round, and the time of a world's burst is divided by that of the first world in the same
 * round. Prints per world the median and quartiles of this ratio and the median microseconds per
 * packet (udp, loopback) or round trip (tcp).
 *
 * Both ends are driven by this one thread: over a veth and over loopback a packet has arrived
 * when send(2) returns, so that no scheduling is measured. A firewall takes the owner of a
 * packet from the credentials with which the socket was opened, hence setfsuid(2) around
 * socket(2).
 */
enum { WORLDS_MAX = 8, ROUNDS_MAX = 100000 };
enum kind { KIND_UDP, KIND_TCP, KIND_LOOPBACK };

struct world {
	int sender, sink;
	double *microseconds;
};

struct task {
	enum kind kind;
	uid_t uid;
	struct sockaddr_in target;
	size_t rounds, burst;
};

static void fail(const char *what)
{
	fprintf(stderr, "path: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void enter(const char *namespace)
{
	int descriptor = open(namespace, O_RDONLY | O_CLOEXEC);

	if (descriptor < 0 || setns(descriptor, CLONE_NEWNET))
		fail(namespace);
	close(descriptor);
}

static int open_socket(int type, uid_t uid)
{
	int descriptor;

	setfsuid(uid);
	descriptor = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	setfsuid(0);
	if (descriptor < 0)
		fail("socket");
	return descriptor;
}

static int open_sink(const struct task *task)
{
	int sink = open_socket(task->kind == KIND_TCP ? SOCK_STREAM : SOCK_DGRAM, 0), one = 1;

	if (setsockopt(sink, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(sink, (const struct sockaddr *)&task->target, sizeof(task->target)))
		fail("bind");
	if (task->kind == KIND_TCP && listen(sink, 1))
		fail("listen");
	return sink;
}

static void open_world(const struct task *task, char *namespaces, struct world *ret)
{
	char *sink = strchr(namespaces, ',');
	int one = 1;

	if (sink)
		*sink++ = '\0';
	enter(sink ? sink : namespaces);
	ret->sink = open_sink(task);
	enter(namespaces);
	ret->sender = open_socket(task->kind == KIND_TCP ? SOCK_STREAM : SOCK_DGRAM, task->uid);
	if (connect(ret->sender, (const struct sockaddr *)&task->target, sizeof(task->target)))
		fail("connect");
	if (task->kind == KIND_TCP) {
		int accepted = accept4(ret->sink, NULL, NULL, SOCK_CLOEXEC);

		if (accepted < 0)
			fail("accept");
		close(ret->sink);
		ret->sink = accepted;
		if (setsockopt(ret->sender, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) ||
		    setsockopt(ret->sink, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
			fail("TCP_NODELAY");
	}
	ret->microseconds = calloc(task->rounds, sizeof(double));
	if (!ret->microseconds)
		fail("memory");
}

static bool pass_byte(int from, int to)
{
	char byte = 0;

	return send(from, &byte, 1, 0) == 1 && recv(to, &byte, 1, 0) == 1;
}

/* Microseconds of one burst, per packet or round trip. */
static double run_burst(const struct task *task, const struct world *world)
{
	char bytes[18] = "";
	int64_t begun = now_ns();

	for (size_t i = 0; i < task->burst; i++)
		if (task->kind == KIND_TCP) {
			if (!pass_byte(world->sender, world->sink) ||
			    !pass_byte(world->sink, world->sender))
				fail("round trip");
		} else if (send(world->sender, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
			fail("send");
		}
	return (double)(now_ns() - begun) / 1000 / (double)task->burst;
}

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static void print_world(size_t index, const struct world *world, const double *base, size_t rounds)
{
	double *ratios = calloc(rounds, sizeof(*ratios));

	if (!ratios)
		fail("memory");
	for (size_t i = 0; i < rounds; i++)
		ratios[i] = world->microseconds[i] / base[i];
	qsort(ratios, rounds, sizeof(*ratios), compare_doubles);
	printf("world%zu %.4f %.4f %.4f ", index, ratios[rounds / 2], ratios[rounds / 4],
	       ratios[rounds * 3 / 4]);
	memcpy(ratios, world->microseconds, rounds * sizeof(*ratios));
	qsort(ratios, rounds, sizeof(*ratios), compare_doubles);
	printf("%.4f\n", ratios[rounds / 2]);
	free(ratios);
}

static void read_task(char **words, struct task *ret)
{
	static const char *const kinds[] = { "udp", "tcp", "loopback" };

	for (ret->kind = KIND_UDP; strcmp(words[0], kinds[ret->kind]); ret->kind++)
		if (ret->kind == KIND_LOOPBACK) {
			errno = EINVAL;
			fail(words[0]);
		}
	ret->uid = (uid_t)strtoul(words[1], NULL, 10);
	ret->target.sin_family = AF_INET;
	ret->target.sin_port = htons((uint16_t)strtoul(words[3], NULL, 10));
	ret->rounds = strtoul(words[4], NULL, 10);
	ret->burst = strtoul(words[5], NULL, 10);
	errno = EINVAL;
	if (inet_pton(AF_INET, words[2], &ret->target.sin_addr) != 1)
		fail(words[2]);
	if (!ret->rounds || ret->rounds > ROUNDS_MAX || !ret->burst)
		fail("rounds and burst");
}

int main(int argc, char **argv)
{
	struct task task = { 0 };
	struct world worlds[WORLDS_MAX];
	size_t count = argc > 7 ? (size_t)(argc - 7) : 0;

	if (!count || count > WORLDS_MAX) {
		errno = EINVAL;
		fail("usage: path udp|tcp|loopback UID ADDRESS PORT ROUNDS BURST SENDER[,SINK]...");
	}
	read_task(argv + 1, &task);
	for (size_t i = 0; i < count; i++)
		open_world(&task, argv[7 + i], &worlds[i]);
	for (size_t i = 0; i < count; i++)
		run_burst(&task, &worlds[i]); /* caches and neighbours, not recorded */
	for (size_t round = 0; round < task.rounds; round++)
		for (size_t turn = 0; turn < count; turn++) {
			struct world *world = &worlds[(round + turn) % count];

			world->microseconds[round] = run_burst(&task, world);
		}
	for (size_t i = 0; i < count; i++)
		print_world(i, &worlds[i], worlds[0].microseconds, task.rounds);
	return EXIT_SUCCESS;
}
