/* socket_process.h: which program has a socket. */
#ifndef EGRESSFW_SYSTEM_SOCKET_PROCESS_H
#define EGRESSFW_SYSTEM_SOCKET_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct socket_process {
	pid_t pid;
	char name[16]; /* as /proc/PID/comm has it, of printable characters */
};

/*
 * A process of this uid that has the socket of this inode open, as far as /proc shows it to that
 * user: looked for in a child that is he and has no capability, since others may not look. Needs
 * CAP_SETUID and CAP_SETGID permitted, where it is not our own uid. False: there is none, or nobody
 * can tell.
 */
bool socket_process_find(uid_t uid, uint32_t inode, unsigned timeout_ms,
			 struct socket_process *ret);

#endif
