/* ready.c: tells whoever started the filter that it answers. */
#include "filter/ready.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path, or with "@" in front a name in the abstract name space (sd_notify(3)). */
static bool open_notify(const char *path, int *ret, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(path);
	int descriptor;

	if ((path[0] != '/' && path[0] != '@') || length >= sizeof(address.sun_path)) {
		err_set(err, "NOTIFY_SOCKET: is no path of a socket");
		return false;
	}
	memcpy(address.sun_path, path, length);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (descriptor < 0 ||
	    connect(descriptor, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length))) {
		err_set_errno(err, errno, "NOTIFY_SOCKET: cannot be connected to");
		if (descriptor >= 0)
			close(descriptor);
		return false;
	}
	*ret = descriptor;
	return true;
}

bool ready_open(int descriptor, struct ready *ret, struct err *err)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct ready ready = { .descriptor = descriptor, .notify = -1 };

	if (path && path[0] && !open_notify(path, &ready.notify, err))
		return false;
	*ret = ready;
	return true;
}

static bool tell(int descriptor, const char *text)
{
	size_t length = strlen(text);
	bool good = write(descriptor, text, length) == (ssize_t)length;
	int errnum = errno;

	close(descriptor);
	errno = errnum;
	return good;
}

void ready_tell_taken(int descriptor)
{
	if (descriptor >= 0)
		tell(descriptor, "taken\n");
}

bool ready_tell(struct ready *ready, struct err *err)
{
	bool good = true;

	if (ready->descriptor >= 0)
		good = tell(ready->descriptor, "ready\n");
	if (good && ready->notify >= 0)
		good = tell(ready->notify, "READY=1");
	if (!good)
		err_set_errno(err, errno,
			      "whoever waits for the filter cannot be told that it is ready");
	return good;
}
