/* dial_reason.h: why a target could not be dialled, in words. */
#ifndef EGRESSFW_FILTER_DIAL_REASON_H
#define EGRESSFW_FILTER_DIAL_REASON_H

#include "plan/resolved.h"

/* Short constant sentences, for log and answer: of an error number of connect(2), of a look-up. */
const char *dial_connect_reason(int errnum);
const char *dial_name_reason(enum resolve_status status);

#endif
