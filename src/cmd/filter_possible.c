/* filter_possible.c: whether the user of the filter that is planned may do what it will. */
#include "cmd/filter_possible.h"

#include "base/memory.h"
#include "cmd/filter_holder.h"
#include "filter/rehearsal.h"
#include "system/loopback.h"
#include "system/users.h"

#include <stdlib.h>

bool filter_check_possible(struct session *session, const struct filter_plan *filter,
			   struct err *err)
{
	autofree char *log_advice = memory_format("name another file by --filter-log, in a folder "
						  "of uid %u's, the filter's user",
						  (unsigned)filter->uid);
	struct rehearsal rehearsal = {
		.uid = filter->uid,
		.gid = users_gid(filter->uid, NULL),
		.log = filter->log,
		.log_advice = log_advice,
		.listen_advice = FILTER_LISTEN_ADVICE,
		.timeout_ms = session->options->timeout_ms,
	};
	struct address_ports *free_yet = &rehearsal.listen;
	bool good = true, taken;

	free_yet->items = memory_allocate(filter->listen.count, sizeof(*free_yet->items));
	for (size_t i = 0; good && i < filter->listen.count; i++) {
		const struct address_port *here = &filter->listen.items[i];
		uint32_t uid;
		bool found;

		good = loopback_listener(here, &uid, &found, err);
		/* Who is there is our own, as was looked at before. */
		if (good && !found)
			free_yet->items[free_yet->count++] = *here;
	}
	if (good && !rehearse(&rehearsal, &taken, err)) {
		if (taken)
			filter_name_holder(filter, err);
		good = false;
	}
	free(free_yet->items);
	return good;
}
