/* confine.h: what the filter can do no more once it is ready. */
#ifndef EGRESSFW_FILTER_CONFINE_H
#define EGRESSFW_FILTER_CONFINE_H

#include "base/err.h"

#include <stdbool.h>

/*
 * Should: accept, connect over TCP and UDP, read files, begin a new file (the next log) and rename.
 * Mustn't: execute, look into or end another process, open a file for writing that is there, make a
 * socket of another kind, map memory to be executed, have a capability, gain one. What is not
 * listed is refused (EPERM). Read back by calls that must fail. Sockets that listen, and the
 * kernel's link for owners of sockets, are open before. The process has one thread.
 */
bool confine(struct err *err);

#endif
