/* process.h: other processes, as proc(5) shows them. */
#ifndef EGRESSFW_SYSTEM_PROCESS_H
#define EGRESSFW_SYSTEM_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * *ret_alive: a process of that number is running, and *ret is when it began, in ticks since the
 * machine's boot (proc(5), "starttime" of stat). False: nobody can tell, which is no "no": who is
 * taken for dead would be started a second time.
 */
bool process_start_time(pid_t pid, bool *ret_alive, uint64_t *ret, struct err *err);

#endif
