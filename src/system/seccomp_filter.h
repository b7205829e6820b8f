/* seccomp_filter.h: the system calls that are refused to a confined program, and why. */
#ifndef EGRESSFW_SYSTEM_SECCOMP_FILTER_H
#define EGRESSFW_SYSTEM_SECCOMP_FILTER_H

#include "base/err.h"

#include <stdbool.h>

/*
 * What goes past a packet filter by uid, and nothing more: a compiler, a debugger or a browser's
 * own sandbox must not notice. Kept by every child and over every exec. libseccomp has its only
 * user here.
 */
struct seccomp_filter;

/* Builds it without loading. Fails where the kernel does not know filters. */
bool seccomp_filter_build(bool allow_io_uring, struct seccomp_filter **ret, struct err *err);
void seccomp_filter_free(struct seccomp_filter *filter);

/*
 * The end; needs no_new_privs. Mustn't: have any socket that is not UNIX, IPv4, IPv6 or netlink's
 * route; a raw, packet, MPTCP or SMC one; io_uring, unless allowed, which opens sockets by itself;
 * an upper layer protocol on TCP; a membership in a multicast group; a call of a foreign ABI (ends
 * the process); a way to type into the terminal. Read back by calls that the filter answers.
 */
bool seccomp_filter_load(const struct seccomp_filter *filter, struct err *err);

#endif
