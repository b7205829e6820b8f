/* proc_locks.c: who holds which file, as /proc tells it. */
#include "doctor/proc_locks.h"

/*
 * "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF", in fdinfo with "lock:" in front; of one who
 * waits "->" stands after the number.
 */
static bool read_lock(struct cursor *line, struct proc_lock *ret)
{
	struct word number, manner, access, pid;
	struct proc_lock lock;
	uint64_t value = 0;

	if (!word_next(line, &number) || (word_is(number, "lock:") && !word_next(line, &number)) ||
	    !number.length || number.text[number.length - 1] != ':' ||
	    !word_next(line, &lock.kind) || word_is(lock.kind, "->") || !word_next(line, &manner) ||
	    !word_next(line, &access) || !word_next(line, &pid) || !word_next(line, &lock.file))
		return false;
	/* It is -1 where the lock belongs to an open file. */
	if (!word_number(pid, 10, INT32_MAX, &value) && !word_is(pid, "-1"))
		return false;
	lock.pid = (uint32_t)value;
	*ret = lock;
	return true;
}

bool proc_lock_next(struct cursor *text, struct proc_lock *ret)
{
	struct cursor line;

	while (line_next(text, &line))
		if (read_lock(&line, ret))
			return true;
	return false;
}
