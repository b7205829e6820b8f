/* reload.h: the settings from their file, at the start and anew. */
#ifndef EGRESSFW_FILTER_RELOAD_H
#define EGRESSFW_FILTER_RELOAD_H

#include "filter/filter.h"

/*
 * Reads settings, and whether the filter can hold to them: *ret_cannot is true where they are good
 * but ask for more than this version does. The file must be nobody else's to write.
 */
bool settings_read(const char *path, struct settings *ret, bool *ret_cannot, struct err *err);

/*
 * Reads them anew. Policy, denial and limits change, and clients whose target is not allowed any
 * more are ended. False: all is as before.
 */
bool reload(struct filter *filter, const char *path, struct err *err);

#endif
