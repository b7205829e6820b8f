/* user_processes.h: which users have a process, as far as /proc shows them. */
#ifndef EGRESSFW_SYSTEM_USER_PROCESSES_H
#define EGRESSFW_SYSTEM_USER_PROCESSES_H

#include "base/rangeset.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Of these uids those as whom a process runs now, by proc_pid_status(5). What another PID namespace
 * has, or /proc hides (hidepid), is not seen: nobody may conclude that the others have none. What
 * runs in another network namespace counts too: to tell takes a capability that we never have in
 * effect (PTRACE_MODE_READ). Needs no privilege. The caller frees it.
 */
struct rangeset user_processes_find(const struct rangeset *uids);

/*
 * The same: a process that runs as this uid, is not `known`, and is not seen to be in another
 * network namespace. False: none is seen.
 */
bool user_processes_other(uint32_t uid, pid_t known, pid_t *ret);

#endif
