/* need.h: the capabilities without which a command can do nothing, and the sentence that says so. */
#ifndef EGRESSFW_CMD_NEED_H
#define EGRESSFW_CMD_NEED_H

#include "cmd/failure.h"
#include "system/privilege.h"

/*
 * Fails with EXIT_CANNOT unless each of `count` capabilities is permitted; names all that are
 * missing, and what to do.
 */
bool need_privileges(const enum privilege *privileges, size_t count, struct failure *failure);

/*
 * The same for those that are needed besides CAP_NET_ADMIN: to probe as somebody else, and to start
 * the filter, whose files become its own.
 */
bool need_besides(bool canary, bool filter, struct failure *failure);

#endif
