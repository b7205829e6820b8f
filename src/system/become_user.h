/* become_user.h: from root to the confined user, for good, in named stages, each read back. */
#ifndef EGRESSFW_SYSTEM_BECOME_USER_H
#define EGRESSFW_SYSTEM_BECOME_USER_H

#include "base/err.h"
#include "system/identity.h"

#include <stdbool.h>

/*
 * Theory of operation. The kernel tells whose a packet is by who opened its socket, so that a
 * socket which root opened is no confined one: none may be left. What could give privilege back
 * goes next, while CAP_SETPCAP is still there, then the ids, then every capability. After it
 * privilege.h has nothing left to raise. The process has one thread.
 */

/*
 * Before anything is changed. Should: 0 to 2 are files, directories, terminals, other devices
 * or pipes. Mustn't: be sockets, or what has no name in the file system (io_uring and the like).
 */
bool become_check_standard(struct err *err);

/* Mustn't: have any descriptor from 3 upwards, nor a table of them that another process shares. */
bool become_close_descriptors(struct err *err);

/*
 * Needs CAP_SETPCAP, CAP_SETUID and CAP_SETGID permitted. Should: real, effective, saved and file
 * system uid and gid, and the supplementary groups, are those of the identity. Mustn't: have a
 * capability in any set, the bounding set included; get one by exec (no_new_privs; uid 0 is nothing
 * special any more: SECBIT_NOROOT, locked), or by an ambient one; be looked into by another process
 * of that user before it executes its program (not dumpable).
 */
bool become_user(const struct identity *identity, struct err *err);

#endif
