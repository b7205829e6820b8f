/* lock_holder.h: who keeps a file locked. */
#ifndef EGRESSFW_SYSTEM_LOCK_HOLDER_H
#define EGRESSFW_SYSTEM_LOCK_HOLDER_H

enum { LOCK_HOLDER_SIZE = 128 };

/*
 * Who holds the flock(2) of the open file, by the kernel's own list: "process 12 (egressfw apply
 * p.json)"; "a process of another pid namespace" where the list has no holder, since it leaves those
 * out (proc_locks(5)); "another egressfw" where there is no list. Where nobody holds it the answer
 * means nothing: try once more to lock it. The file is open for reading. Returns ret.
 */
const char *lock_holder_text(int descriptor, char ret[LOCK_HOLDER_SIZE]);

#endif
