/* xt_lock.c: the lock that iptables(8) takes while it reads and replaces a table. */
#include "kernel/xt_link.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE "/run/xtables.lock"

enum { POLL_MS = 20 };

static unsigned elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)((now.tv_sec - since->tv_sec) * 1000 +
			  (now.tv_nsec - since->tv_nsec) / 1000000);
}

bool xt_lock(unsigned timeout_ms, int *ret, struct err *err)
{
	static const struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
	/* Should it be a pipe, nobody has to write to it. */
	int descriptor =
		open(LOCK_FILE, O_RDONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct timespec start;
	int errnum = 0;

	if (descriptor < 0) {
		err_set_errno(err, errno, "%s", LOCK_FILE);
		*ret = -1;
		return true;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (flock(descriptor, LOCK_EX | LOCK_NB)) {
		errnum = errno;
		if ((errnum != EWOULDBLOCK && errnum != EINTR) ||
		    elapsed_ms(&start) >= timeout_ms) {
			err_set_errno(err, errnum, "%s: iptables' lock is not to be had",
				      LOCK_FILE);
			close(descriptor);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	*ret = descriptor;
	return true;
}
