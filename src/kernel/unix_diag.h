/* unix_diag.h: the UNIX sockets of this network namespace that wait for others, and their openers. */
#ifndef EGRESSFW_KERNEL_UNIX_DIAG_H
#define EGRESSFW_KERNEL_UNIX_DIAG_H

#include "base/cursor.h"
#include "doctor/unix_sockets.h"

#include <stdbool.h>

/*
 * One answer of the kernel (sock_diag(7)), behind the first four bytes of its unix_diag_msg. False:
 * it is about a socket that no file names, or does not say who opened it.
 */
bool unix_diag_read(struct cursor answer, struct unix_socket *ret);

/*
 * All that have a file, and listen or take datagrams from anybody. Needs no privilege; Linux 5.3.
 * Returns an error number, 0: done; *ret is then the caller's.
 */
int unix_diag_list(unsigned timeout_ms, struct unix_sockets *ret);

#endif
