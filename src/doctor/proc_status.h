/* proc_status.h: what /proc tells of a process, and uname(2) of the kernel. */
#ifndef EGRESSFW_DOCTOR_PROC_STATUS_H
#define EGRESSFW_DOCTOR_PROC_STATUS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pure. */
enum capability_set {
	SET_EFFECTIVE,
	SET_PERMITTED,
	SET_INHERITABLE,
	SET_BOUNDING,
	SET_AMBIENT,
	CAPABILITY_SETS,
};

struct process_status {
	uint32_t parent;
	uint32_t uid; /* the effective one */
	bool ended;   /* a zombie: nothing of it runs any more */
	uint64_t capabilities[CAPABILITY_SETS];
	int no_new_privs; /* 0, 1; -1: the kernel does not say */
	int seccomp;      /* 0 none, 1 strict, 2 filter; -1: the kernel does not say */
};

/* /proc/PID/status (proc_pid_status(5)); false where uid or a set but the ambient is missing. */
bool process_status_parse(const void *text, size_t length, struct process_status *ret);

bool process_has(const struct process_status *status, enum capability_set set, unsigned capability);

/*
 * Appends "effective NET_ADMIN SETUID, permitted all, inheritable none, ...": of each set what
 * decides about a way out.
 */
void process_print_capabilities(const struct process_status *status, struct buffer *out);

/* "6.1.0-18-amd64" is 6 and 1. */
bool kernel_release_parse(const char *release, unsigned *ret_major, unsigned *ret_minor);

#endif
