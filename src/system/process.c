/* process.c: other processes, as proc(5) shows them. */
#include "system/process.h"

#include "base/memory.h"
#include "system/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STAT_MAX = 4096 };

/* The fields behind the name, which is in brackets and may hold anything: state, and the 22nd. */
bool process_start_time(pid_t pid, bool *ret_alive, uint64_t *ret, struct err *err)
{
	autofree char *path = memory_format("/proc/%d/stat", (int)pid);
	autoclose int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	struct buffer text;
	const char *rest;
	char state;
	bool good;

	*ret_alive = false;
	if (descriptor < 0 && (errno == ENOENT || errno == ESRCH))
		return true;
	if (descriptor < 0) {
		err_set_errno(err, errno, "%s: cannot be opened", path);
		return false;
	}
	if (!descriptor_read(descriptor, path, STAT_MAX, &text, err))
		return kill(pid, 0) && errno == ESRCH;
	rest = strrchr(buffer_string(&text), ')');
	good = rest && sscanf(rest,
			      ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			      "%*d %*d %*d %" SCNu64,
			      &state, ret) == 2;
	buffer_free(&text);
	if (!good)
		err_set(err, "%s: is not what proc(5) says", path);
	else
		*ret_alive = state != 'Z' && state != 'X';
	return good;
}

bool process_command(pid_t pid, char ret[PROCESS_COMMAND_SIZE])
{
	autofree char *path = memory_format("/proc/%d/cmdline", (int)pid);
	autoclose int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	/* One more than there is room for, to know whether it is all. */
	char text[PROCESS_COMMAND_SIZE];
	ssize_t got = descriptor < 0 ? -1 : read(descriptor, text, sizeof(text));
	size_t length = got > 0 ? (size_t)got : 0;
	bool whole = length < sizeof(text);

	if (!whole)
		length--;
	for (size_t i = 0; i + 3 < length; i++)
		if (!memcmp(text + i, "\0--", 4)) {
			length = i;
			whole = true;
		}
	while (whole && length && !text[length - 1])
		length--;
	if (!length)
		return false;
	for (size_t i = 0; i < length; i++) {
		ret[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
		if (!text[i])
			ret[i] = ' ';
	}
	if (!whole)
		memcpy(ret + length - 3, "...", 3);
	ret[length] = '\0';
	return true;
}
