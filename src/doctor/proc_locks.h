/* proc_locks.h: who holds which file, as /proc tells it. */
#ifndef EGRESSFW_DOCTOR_PROC_LOCKS_H
#define EGRESSFW_DOCTOR_PROC_LOCKS_H

#include "doctor/words.h"

#include <stdbool.h>
#include <stdint.h>

/* Pure. A lock that is held. */
struct proc_lock {
	struct word kind; /* "FLOCK", "OFDLCK" and so on */
	struct word file; /* "fe:00:1234": device and inode of the file */
	uint32_t pid;     /* in the pid namespace of that /proc; 0: it tells none */
};

/*
 * The next lock of /proc/locks (proc_locks(5)), or of a file of /proc/PID/fdinfo; false at the end.
 * Those who wait for one are passed over. Locks of processes that the pid namespace of /proc does
 * not have are not there.
 */
bool proc_lock_next(struct cursor *text, struct proc_lock *ret);

#endif
