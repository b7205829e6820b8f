/* policy_file.h: the bytes of a policy, from a file that nobody else may write. */
#ifndef EGRESSFW_SYSTEM_POLICY_FILE_H
#define EGRESSFW_SYSTEM_POLICY_FILE_H

#include "base/buffer.h"
#include "base/err.h"

#include <stdbool.h>

/*
 * Reads the whole of path, or of standard input for "-", at most POLICY_TEXT_MAX bytes. With
 * `privileged` the open descriptor must be a regular file that is neither group- nor world-writable
 * and is owned by root or the caller (standard input is not checked: it is the caller's own). The
 * sentence begins with the path.
 */
bool policy_file_read(const char *path, bool privileged, struct buffer *ret, struct err *err);

#endif
