/* socket_count.h: whether this network namespace has any TCP socket at all. */
#ifndef EGRESSFW_KERNEL_SOCKET_COUNT_H
#define EGRESSFW_KERNEL_SOCKET_COUNT_H

#include <stdbool.h>

/*
 * False only where the kernel counts none: listening, connected or closed and not over. To list
 * sockets walks over a table for all namespaces, which takes longer than a commit; in a container
 * that is about to start there are none. TIME_WAIT, and what a listener has
 * half open, are not counted and have nothing to send (net/ipv4/proc.c, sock_prot_inuse_get()).
 */
bool tcp_sockets_may_exist(void);

/* The same, from the text of proc(5)'s net/sockstat and net/sockstat6. */
bool sockstat_may_have_tcp(const char *text);

#endif
