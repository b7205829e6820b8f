/* system_hosts.c: drives the hosts file writer for the tests, one operation per process. */
#include "system/hosts_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * system_hosts FILE STATE|- one|two|none|check|repair|parses|watch
 *
 * one, two: writes a block of one or of forty pins; none takes it out. parses: ends with 1 unless every
 * line of FILE parses. watch: reads FILE again and again, each time with one read(2), until SIGTERM;
 * ends with 1 if a line did not parse, or the first line was ever missing.
 */
enum { ENTRIES_MAX = 40 };

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static size_t read_once(const char *path, char *bytes, size_t size)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = descriptor < 0 ? -1 : read(descriptor, bytes, size);

	close(descriptor);
	if (got < 0) {
		perror(path);
		exit(1);
	}
	return (size_t)got;
}

static int watch(const char *path)
{
	static const char first[] = "127.0.0.1 localhost\n";
	static char bytes[1 << 20];
	unsigned long reads = 0;

	signal(SIGTERM, stop);
	while (!stopped) {
		size_t length = read_once(path, bytes, sizeof(bytes));

		reads++;
		if (length < sizeof(first) - 1 || memcmp(bytes, first, sizeof(first) - 1)) {
			printf("after %lu reads the first line was missing\n", reads);
			return 1;
		}
		if (!hosts_text_parses(bytes, length)) {
			printf("after %lu reads a line did not parse:\n%.*s", reads, (int)length,
			       bytes);
			return 1;
		}
	}
	printf("%lu reads\n", reads);
	return reads < 10;
}

static int update(const char *path, const char *directory, size_t count)
{
	static struct hosts_entry entries[ENTRIES_MAX];
	static char names[ENTRIES_MAX][32];
	struct hosts_block block = { entries, count };
	struct state *state = NULL;
	struct err err = { "" };
	bool absent, changed, good;

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), i ? "host%zu.test" : "api.test", i);
		entries[i].name = names[i];
		entries[i].address = (struct address){ FAMILY_IPV4,
						       { 203, 0, 113, (uint8_t)(i + 1) } };
	}
	good = !strcmp(directory, "-") || state_open(directory, "", true, &state, &absent, &err);
	good = good && hosts_file_update(path, &block, "", state, &changed, &err);
	if (good)
		puts(changed ? "changed" : "unchanged");
	else
		fprintf(stderr, "%s\n", err.text);
	state_close(state);
	return !good;
}

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	struct err err = { "" };
	bool repaired = false, good = true;

	if (argc != 4)
		return 2;
	if (!strcmp(argv[3], "one") || !strcmp(argv[3], "two") || !strcmp(argv[3], "none"))
		return update(argv[1], argv[2],
			      !strcmp(argv[3], "one") ? 1
			      : argv[3][0] == 't'     ? 40
						      : 0);
	if (!strcmp(argv[3], "watch"))
		return watch(argv[1]);
	if (!strcmp(argv[3], "parses"))
		return !hosts_text_parses(bytes, read_once(argv[1], bytes, sizeof(bytes)));
	if (!strcmp(argv[3], "check"))
		good = hosts_file_check(argv[1], &err);
	else if (!strcmp(argv[3], "repair"))
		good = hosts_file_repair(argv[1], &repaired, &err);
	else
		return 2;
	if (good)
		puts(repaired ? "repaired" : "good");
	else
		fprintf(stderr, "%s\n", err.text);
	return !good;
}
