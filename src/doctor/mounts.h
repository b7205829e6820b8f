/* mounts.h: the mounts of a process, as /proc/PID/mountinfo tells them. */
#ifndef EGRESSFW_DOCTOR_MOUNTS_H
#define EGRESSFW_DOCTOR_MOUNTS_H

#include "base/cursor.h"

#include <stdbool.h>

/* Pure. Both strings are owned. */
struct mount {
	char *point;
	char *type;
};

/* The next mount (proc_pid_mountinfo(5)); false at the end. */
bool mount_next(struct cursor *text, struct mount *ret);
void mount_free(struct mount *mount);

/* Whether a file system of this type is made by the kernel and has no programs in it. */
bool mount_is_kernels(const struct mount *mount);

/* Whether somebody else answers for it, who may never do so: of the network, or FUSE. */
bool mount_is_remote(const struct mount *mount);

#endif
