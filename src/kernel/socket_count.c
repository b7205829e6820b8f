/* socket_count.c: whether this network namespace has any TCP socket at all. */
#include "kernel/socket_count.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *const files[] = { "/proc/self/net/sockstat", "/proc/self/net/sockstat6" };

bool sockstat_may_have_tcp(const char *text)
{
	const char *line = strstr(text, "TCP");

	/* "TCP: inuse 0 orphan ..." or "TCP6: inuse 0" */
	if (!line || (line != text && line[-1] != '\n'))
		return true;
	line += strlen("TCP");
	if (*line == '6')
		line++;
	return strncmp(line, ": inuse 0", 9) || (line[9] != ' ' && line[9] != '\n');
}

static bool may_have(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t length;

	if (descriptor < 0)
		return true;
	length = read(descriptor, text, sizeof(text) - 1);
	close(descriptor);
	if (length < 0)
		return true;
	text[length] = '\0';
	return sockstat_may_have_tcp(text);
}

bool tcp_sockets_may_exist(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (may_have(files[i]))
			return true;
	return false;
}
