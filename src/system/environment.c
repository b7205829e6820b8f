/* environment.c: what the environment could do to this process before its first own line. */
#include "system/environment.h"

#include "base/memory.h"
#include "system/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static bool is_for_the_loader(const char *variable)
{
	return !strncmp(variable, "LD_", 3) || !strncmp(variable, "GLIBC_TUNABLES=", 15);
}

bool environment_shed_loader(char **arguments, struct err *err)
{
	size_t count = 0, kept = 0;
	const char *found = NULL;
	autofree char **variables = NULL;

	for (; environ && environ[count]; count++)
		if (is_for_the_loader(environ[count]))
			found = environ[count];
	if (!found)
		return true;
	variables = memory_allocate(count + 1, sizeof(*variables));
	for (size_t i = 0; i < count; i++)
		if (!is_for_the_loader(environ[i]))
			variables[kept++] = environ[i];
	execve("/proc/self/exe", arguments, variables);
	err_set_errno(err, errno, "%.*s is set and this program cannot be started without it",
		      (int)strcspn(found, "="), found);
	return false;
}

bool environment_settle(struct err *err)
{
	sigset_t children;

	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (fcntl(descriptor, F_GETFD) >= 0)
			continue;
		/* The lowest free number is the one that is missing; it stays open over exec. */
		if (descriptor_open_nowhere(0) != descriptor) {
			err_set_errno(err, errno,
				      "descriptor %d is closed, and nothing can be opened in its "
				      "place",
				      descriptor);
			return false;
		}
	}
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	if (signal(SIGCHLD, SIG_DFL) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR || sigprocmask(SIG_UNBLOCK, &children, NULL)) {
		err_set_errno(err, errno, "signals cannot be set");
		return false;
	}
	return true;
}

bool environment_hand_over(struct err *err)
{
	static const int settled[] = { SIGCHLD, SIGXFSZ, SIGPIPE };
	sigset_t none;

	for (size_t i = 0; i < sizeof(settled) / sizeof(*settled); i++)
		if (signal(settled[i], SIG_DFL) == SIG_ERR) {
			err_set_errno(err, errno, "signals cannot be set");
			return false;
		}
	sigemptyset(&none);
	if (sigprocmask(SIG_SETMASK, &none, NULL)) {
		err_set_errno(err, errno, "signals cannot be set");
		return false;
	}
	return true;
}
