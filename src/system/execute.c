/* execute.c: executing a program along PATH, and telling why it could not be. */
#include "system/execute.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * execvp(3) says EACCES also where one directory of PATH may not be searched and the program is in
 * none.
 */
static bool is_there(const char *name, const char *path)
{
	if (strchr(name, '/') || !path)
		return !access(name, F_OK) || errno == EACCES;
	for (;;) {
		size_t length = strcspn(path, ":");
		autofree char *full =
			memory_format("%.*s%s%s", (int)length, path, length ? "/" : "", name);

		if (!access(full, F_OK))
			return true;
		if (!path[length])
			return false;
		path += length + 1;
	}
}

int execute(char *const *words, char **variables, bool *ret_found)
{
	char **before = environ;
	int errnum;

	environ = variables;
	execvp(words[0], words);
	errnum = errno;
	*ret_found = *words[0] && is_there(words[0], getenv("PATH"));
	environ = before;
	return errnum;
}
