/* program_user.h: as whom egressfilter runs. */
#ifndef EGRESSFW_FILTER_PROGRAM_USER_H
#define EGRESSFW_FILTER_PROGRAM_USER_H

#include "base/err.h"
#include "filter/program.h"

#include <stdbool.h>

/*
 * Becomes the user of --user where started as root, who must name one; --check as root without it
 * becomes the owner of the settings. Whoever is not root stays who it is. The first stage: nothing
 * has been opened. False: *ret_status is the program's.
 */
bool program_become_user(const struct program_options *options, enum program_status *ret_status,
			 struct err *err);

#endif
