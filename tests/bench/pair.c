/* pair.c: runs two peers in turn as whole processes and compares their times and memory. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * pair RUNS [before COMMAND...] first COMMAND... second COMMAND...
 *
 * The words "before", "first" and "second" begin a peer; "+" stands between commands that belong
 * to one peer and are timed together. `before` runs ahead of every peer and is not timed: it
 * takes away what the run before left. Each of the RUNS rounds runs both peers, the order
 * changing from round to round, so that a machine that becomes slower meanwhile slows both down.
 * Standard output of the commands goes to /dev/null.
 *
 * Prints lines of a key and values: median and quartiles of the ratio first/second of each
 * round, in time and in processor time (which a busy machine disturbs less), and of the
 * microseconds of both; and the peak resident kilobytes of both (of the largest process of a
 * peer in all runs; never less than this program's own, about 1,300).
 */
extern char **environ;

enum { WORDS_MAX = 256, RUNS_MAX = 100000 };

struct peer {
	char *words[WORDS_MAX]; /* commands, each ended by NULL; an empty one ends the peer */
	size_t count;
	double *microseconds, *processor; /* of each round; processor: user and system time */
	long peak_kilobytes;
};

struct cost {
	double microseconds, processor;
};

static void fail(const char *what, const char *object)
{
	fprintf(stderr, "pair: %s: %s\n", object, what);
	exit(EXIT_FAILURE);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double timeval_us(const struct timeval *time)
{
	return (double)time->tv_sec * 1e6 + (double)time->tv_usec;
}

/* Runs one command to its end and adds what that took. */
static void run_command(char **words, const posix_spawn_file_actions_t *actions, struct cost *cost,
			long *peak_kilobytes)
{
	struct rusage usage;
	int64_t begun = now_ns(), ended;
	int status, errnum;
	pid_t child;

	errnum = posix_spawnp(&child, words[0], actions, NULL, words, environ);
	if (errnum)
		fail(strerror(errnum), words[0]);
	while (wait4(child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			fail(strerror(errno), "wait4");
	ended = now_ns();
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail("did not exit with status 0", words[0]);
	if (usage.ru_maxrss > *peak_kilobytes)
		*peak_kilobytes = usage.ru_maxrss;
	cost->microseconds += (double)(ended - begun) / 1000;
	cost->processor += timeval_us(&usage.ru_utime) + timeval_us(&usage.ru_stime);
}

static struct cost run_peer(struct peer *peer, const posix_spawn_file_actions_t *actions)
{
	struct cost cost = { 0, 0 };
	char **words = peer->words;

	while (*words) {
		run_command(words, actions, &cost, &peer->peak_kilobytes);
		while (*words)
			words++;
		words++;
	}
	return cost;
}

static int compare_doubles(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* The value below which `share` of the sorted values lie. */
static double quantile(const double *sorted, size_t count, double share)
{
	double place = share * (double)(count - 1);
	size_t below = (size_t)place;

	if (below + 1 >= count)
		return sorted[count - 1];
	return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

static void print_quartiles(const char *key, double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	printf("%s %.4f %.4f %.4f\n", key, quantile(values, count, 0.5),
	       quantile(values, count, 0.25), quantile(values, count, 0.75));
}

/* Sorts the words of the command line into the three peers. */
static void read_peers(char **words, struct peer peers[3])
{
	static const char *const names[3] = { "before", "first", "second" };
	struct peer *peer = NULL;

	for (; *words; words++) {
		bool named = false;

		for (size_t i = 0; i < 3 && !named; i++)
			if (!strcmp(*words, names[i])) {
				peer = &peers[i];
				named = true;
			}
		if (named)
			continue;
		if (!peer || peer->count + 2 >= WORDS_MAX)
			fail("before, first or second is missing, or words are too many", *words);
		peer->words[peer->count++] = strcmp(*words, "+") ? *words : NULL;
	}
	if (!peers[1].count || !peers[2].count)
		fail("needs both a first and a second peer", "usage");
}

static double *new_values(size_t count)
{
	double *values = calloc(count, sizeof(*values));

	if (!values)
		fail(strerror(ENOMEM), "memory");
	return values;
}

static void run_rounds(struct peer peers[3], const posix_spawn_file_actions_t *actions, size_t runs)
{
	for (size_t i = 1; i < 3; i++) {
		peers[i].microseconds = new_values(runs);
		peers[i].processor = new_values(runs);
	}
	for (size_t run = 0; run < runs; run++)
		for (size_t turn = 0; turn < 2; turn++) {
			struct peer *peer = &peers[1 + (run + turn) % 2];
			struct cost cost;

			run_peer(&peers[0], actions);
			cost = run_peer(peer, actions);
			peer->microseconds[run] = cost.microseconds;
			peer->processor[run] = cost.processor;
		}
}

static void print_ratio(const char *key, const double *first, const double *second, size_t runs)
{
	double *ratios = new_values(runs);

	for (size_t i = 0; i < runs; i++)
		ratios[i] = first[i] / second[i];
	print_quartiles(key, ratios, runs);
	free(ratios);
}

int main(int argc, char **argv)
{
	static struct peer peers[3];
	posix_spawn_file_actions_t actions;
	size_t runs;

	if (argc < 2 || (runs = strtoul(argv[1], NULL, 10)) < 1 || runs > RUNS_MAX)
		fail("pair RUNS [before COMMAND...] first COMMAND... second COMMAND...", "usage");
	read_peers(argv + 2, peers);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	run_rounds(peers, &actions, runs);
	print_ratio("ratio", peers[1].microseconds, peers[2].microseconds, runs);
	print_ratio("processor", peers[1].processor, peers[2].processor, runs);
	print_quartiles("first_us", peers[1].microseconds, runs);
	print_quartiles("second_us", peers[2].microseconds, runs);
	printf("first_kb %ld\nsecond_kb %ld\n", peers[1].peak_kilobytes, peers[2].peak_kilobytes);
	return EXIT_SUCCESS;
}
