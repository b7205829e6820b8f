/* lock_holder.c: who keeps a file locked. */
#include "system/lock_holder.h"

#include "base/memory.h"
#include "doctor/proc_locks.h"
#include "system/descriptor.h"
#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { FDINFO_MAX = 64 * 1024, LOCKS_MAX = 4 * 1024 * 1024 };

/*
 * What the kernel calls the file in its list: of an overlay that is not what fstat(2) says. So a
 * lock of our own is put on it, which gets in nobody's way, and looked up. NULL: it does not tell.
 */
static char *kernels_name(int descriptor)
{
	autofree char *path = memory_format("/proc/self/fdinfo/%d", descriptor);
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	struct buffer text = { 0 };
	struct proc_lock lock;
	struct cursor cursor;
	struct err ignored;
	char *name = NULL;
	bool present;

	if (fcntl(descriptor, F_OFD_SETLK, &whole) ||
	    !descriptor_read_file(path, FDINFO_MAX, &text, &present, &ignored))
		return NULL;
	cursor = cursor_over(text.data, text.length);
	while (!name && proc_lock_next(&cursor, &lock))
		if (word_is(lock.kind, "OFDLCK"))
			name = word_copy(lock.file);
	buffer_free(&text);
	whole.l_type = F_UNLCK;
	fcntl(descriptor, F_OFD_SETLK, &whole);
	return name;
}

/* False: there is no list. *ret 0: nobody in it. */
static bool find(const char *name, uint32_t *ret, struct err *err)
{
	struct buffer text = { 0 };
	struct proc_lock lock;
	struct cursor cursor;
	bool present;

	*ret = 0;
	if (!descriptor_read_file("/proc/locks", LOCKS_MAX, &text, &present, err) || !present)
		return false;
	cursor = cursor_over(text.data, text.length);
	while (!*ret && proc_lock_next(&cursor, &lock))
		if (word_is(lock.kind, "FLOCK") && word_is(lock.file, name))
			*ret = lock.pid;
	buffer_free(&text);
	return true;
}

const char *lock_holder_text(int descriptor, char ret[LOCK_HOLDER_SIZE])
{
	autofree char *name = kernels_name(descriptor);
	char command[PROCESS_COMMAND_SIZE];
	struct err ignored;
	uint32_t pid;

	if (!name || !find(name, &pid, &ignored))
		snprintf(ret, LOCK_HOLDER_SIZE, "another egressfw");
	else if (!pid)
		snprintf(ret, LOCK_HOLDER_SIZE, "a process of another pid namespace");
	else if (process_command((pid_t)pid, command))
		snprintf(ret, LOCK_HOLDER_SIZE, "process %u (%s)", (unsigned)pid, command);
	else if (kill((pid_t)pid, 0) && errno == ESRCH)
		snprintf(ret, LOCK_HOLDER_SIZE, "a child of process %u, which has ended",
			 (unsigned)pid);
	else
		snprintf(ret, LOCK_HOLDER_SIZE, "process %u", (unsigned)pid);
	return ret;
}
