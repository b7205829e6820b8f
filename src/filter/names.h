/* names.h: names to addresses within the event loop, remembered for as long as their servers say. */
#ifndef EGRESSFW_FILTER_NAMES_H
#define EGRESSFW_FILTER_NAMES_H

#include "base/err.h"
#include "filter/share.h"
#include "plan/resolved.h"

#include <event2/event.h>
#include <stdbool.h>

/* Uses system/resolver_question.h, whose answers are strictly read. Nothing but DNS is asked. */
struct names;

bool names_open(struct event_base *base, const struct address_ports *servers, struct names **ret,
		struct err *err);
/* Nobody may wait any more. */
void names_close(struct names *names);

/* One who waits for a name. */
struct name_wait;

/*
 * Asks for both families, or takes what is known. Whenever more is known, `wake` is made active; it
 * may be known at once. The caller drops the wait in the end. `share` is whose look-up it is, where
 * it has to be begun. NULL: as many names are asked for as may be, or as this user may.
 */
struct name_wait *names_wait(struct names *names, struct share *share, const char *name,
			     struct event *wake);
void names_drop(struct name_wait *wait);

/*
 * Whether all is known about the family that ever will be; *ret is what was found, perhaps nothing.
 */
bool names_known(const struct name_wait *wait, enum family family, const struct addresses **ret);

/* What is to be said of a name of which no family was found. */
enum resolve_status names_status(const struct name_wait *wait);

#endif
