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
 * round, median and quartiles of the microseconds of both, and the peak resident kilobytes of
 * both (of the largest process of a peer in all runs; never less than this program's own, about
 * 1,300).
 */
extern char **environ;

enum { WORDS_MAX = 256, RUNS_MAX = 100000 };

struct peer {
	char *words[WORDS_MAX]; /* commands, each ended by NULL; an empty one ends the peer */
	size_t count;
	double *microseconds;
	long peak_kilobytes;
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

/* Runs one command to its end and returns how long that took. */
static int64_t run_command(char **words, const posix_spawn_file_actions_t *actions,
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
	return ended - begun;
}

static double run_peer(struct peer *peer, const posix_spawn_file_actions_t *actions)
{
	int64_t total = 0;
	char **words = peer->words;

	while (*words) {
		total += run_command(words, actions, &peer->peak_kilobytes);
		while (*words)
			words++;
		words++;
	}
	return (double)total / 1000;
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

int main(int argc, char **argv)
{
	static struct peer peers[3];
	posix_spawn_file_actions_t actions;
	size_t runs;
	double *ratios;

	if (argc < 2 || (runs = strtoul(argv[1], NULL, 10)) < 1 || runs > RUNS_MAX)
		fail("pair RUNS [before COMMAND...] first COMMAND... second COMMAND...", "usage");
	read_peers(argv + 2, peers);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	ratios = calloc(runs, sizeof(*ratios));
	for (size_t i = 0; i < 3; i++)
		peers[i].microseconds = calloc(runs, sizeof(double));
	if (!ratios || !peers[0].microseconds || !peers[1].microseconds || !peers[2].microseconds)
		fail(strerror(ENOMEM), "memory");
	for (size_t run = 0; run < runs; run++) {
		for (size_t turn = 0; turn < 2; turn++) {
			struct peer *peer = &peers[1 + (run + turn) % 2];

			run_peer(&peers[0], &actions);
			peer->microseconds[run] = run_peer(peer, &actions);
		}
		ratios[run] = peers[1].microseconds[run] / peers[2].microseconds[run];
	}
	print_quartiles("ratio", ratios, runs);
	print_quartiles("first_us", peers[1].microseconds, runs);
	print_quartiles("second_us", peers[2].microseconds, runs);
	printf("first_kb %ld\nsecond_kb %ld\n", peers[1].peak_kilobytes, peers[2].peak_kilobytes);
	return EXIT_SUCCESS;
}
