/* resolve_bench.c: what resolving costs, beside one round trip and beside getaddrinfo(3). */
#include "../net/resolver_world.h"

#include "base/memory.h"
#include "system/resolver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * resolve_bench [--quick]
 *
 * Run from the build directory as root. Prints a line per figure: its name, value, target, unit and
 * detail, with tabs between. Every round measures both peers, one after the other.
 */
enum { ROUNDS = 31, ROUNDS_QUICK = 5, MANY = 1000 };

static struct world world;
static size_t rounds = ROUNDS;

_Noreturn static void fail(const char *what)
{
	fprintf(stderr, "resolve_bench: %s\n", what);
	exit(EXIT_FAILURE);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static double median(double *values)
{
	qsort(values, rounds, sizeof(*values), compare_doubles);
	return values[rounds / 2];
}

/* The whole of resolver_run(), its process and its checks included. */
static double resolver_us(const struct policy *policy)
{
	struct resolver_settings settings = { .resolv_conf = world.resolv_conf,
					      .timeout_ms = 30000 };
	struct resolved resolved;
	struct err err;
	double begun = now_us(), ended;

	if (!resolver_run(policy, &settings, &resolved, &err) ||
	    (ended = now_us(), !resolved_check(&resolved, &err)))
		fail(err.text);
	resolved_free(&resolved);
	return ended - begun;
}

/* One question and its answer, by the shortest way. */
static double round_trip_us(void)
{
	static const char question[] = "\1\1\1\0\0\1\0\0\0\0\0\0\1n\4test\0\0\1\0\1";
	struct sockaddr_in server = { .sin_family = AF_INET,
				      .sin_port = htons(53),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	char answer[512];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	double begun = now_us(), ended;

	if (sendto(fd, question, sizeof(question) - 1, 0, (struct sockaddr *)&server,
		   sizeof(server)) < 0 ||
	    recv(fd, answer, sizeof(answer), 0) < 0)
		fail(strerror(errno));
	ended = now_us();
	close(fd);
	return ended - begun;
}

static double getaddrinfo_us(const struct policy *policy)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	double begun = now_us();

	for (size_t i = 0; i < policy->allowed_hosts.count; i++) {
		struct addrinfo *found;

		if (getaddrinfo(policy->allowed_hosts.items[i].name, NULL, &hints, &found))
			fail("getaddrinfo did not find a name");
		freeaddrinfo(found);
	}
	return now_us() - begun;
}

static void measure_round_trips(size_t count, double target)
{
	struct policy policy = policy_of_many("n", "slow.test", count);
	autofree double *ratios = memory_allocate(rounds, sizeof(*ratios));
	autofree double *times = memory_allocate(rounds, sizeof(*times));

	for (size_t i = 0; i < rounds; i++) {
		times[i] = resolver_us(&policy);
		ratios[i] = times[i] / round_trip_us();
	}
	printf("%zu names at 20 ms, in round trips\t%.3f\t%.1f\t\t%.2f ms\n", count, median(ratios),
	       target, median(times) / 1e3);
	policy_done(&policy);
}

static void measure_many(void)
{
	struct policy policy = policy_of_many("n", "fast.test", MANY);
	autofree double *ratios = memory_allocate(rounds, sizeof(*ratios));
	autofree double *times = memory_allocate(rounds, sizeof(*times));
	autofree double *peers = memory_allocate(rounds, sizeof(*peers));
	unsigned before, lost = 0;

	for (size_t i = 0; i < rounds; i++) {
		before = world_asked_like(&world, "");
		times[i] = resolver_us(&policy);
		lost += world_asked_like(&world, "") - before - 2 * MANY;
		peers[i] = getaddrinfo_us(&policy);
		ratios[i] = times[i] / peers[i];
	}
	printf("%d names without delay, beside getaddrinfo in sequence\t%.3f\t0.6\t\t%.1f ms "
	       "beside %.1f ms\n",
	       MANY, median(ratios), median(times) / 1e3, median(peers) / 1e3);
	printf("%d names without delay, questions asked again\t%u\t0\t\tof %zu\n", MANY, lost,
	       rounds * 2 * MANY);
	policy_done(&policy);
}

/* getaddrinfo(3) has to be led to our server: in this mount namespace alone. */
static void lead_getaddrinfo(void)
{
	autofree char *switches = memory_format("%s/nsswitch.conf", world.directory);

	file_write(switches, "hosts: files dns\n");
	if (mount(world.resolv_conf, "/etc/resolv.conf", NULL, MS_BIND, NULL) < 0 ||
	    (!access("/etc/nsswitch.conf", F_OK) &&
	     mount(switches, "/etc/nsswitch.conf", NULL, MS_BIND, NULL) < 0))
		fail("resolv.conf cannot be mounted over");
	unlink(switches);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--quick"))
		rounds = ROUNDS_QUICK;
	if (!world_enter())
		fail("no network namespace of our own can be made");
	world_begin(&world);
	world_serve_here(&world, "n.test A 203.0.113.5 delay=20\n"
				 "*.slow.test ANY 203.0.113.5 2001:db8::5 delay=20\n"
				 "*.fast.test ANY 203.0.113.5 2001:db8::5\n");
	lead_getaddrinfo();
	measure_round_trips(15, 1.4);
	measure_round_trips(100, 1.6);
	measure_many();
	umount("/etc/resolv.conf");
	umount("/etc/nsswitch.conf");
	world_end(&world);
	return EXIT_SUCCESS;
}
