/* scratch.c: a directory for the files of a test program, gone when it ends, also after a failure. */
#include "scratch.h"

#include "base/memory.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[] = "/tmp/egfw-unit-XXXXXX";

void scratch_make(void)
{
	if (!mkdtemp(top)) {
		perror(top);
		exit(EXIT_FAILURE);
	}
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

void scratch_remove(void)
{
	if (nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		perror(top);
}

char *scratch_path(const char *name)
{
	return memory_format("%s/%s", top, name);
}

void scratch_put(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}
