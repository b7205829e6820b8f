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

enum { PROCESS_COMMAND_SIZE = 80 };

/*
 * Its command line, for a message: cut where it is long, and at "--", behind which stands a command
 * that is another's; printable ASCII. False: it has none, or may not be looked at.
 */
bool process_command(pid_t pid, char ret[PROCESS_COMMAND_SIZE]);

#endif
