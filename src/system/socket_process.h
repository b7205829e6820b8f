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
 * A process that has the socket of this inode open, as far as /proc shows it: looked for in a child
 * that is the user to whom the socket belongs, without any capability; and where he does not see
 * it, since it has more than that (ptrace(2)) or is another's, in one that has CAP_SYS_PTRACE,
 * where that is permitted. Each takes timeout_ms at most. Needs CAP_SETUID and CAP_SETGID
 * permitted, where it is not our own uid. False: there is none, or nobody can tell.
 */
bool socket_process_find(uid_t uid, uint32_t inode, unsigned timeout_ms,
			 struct socket_process *ret);

#endif
