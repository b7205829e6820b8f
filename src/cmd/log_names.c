/* log_names.c: by which name an address is pinned, as the plan that stands has it. */
#include "cmd/log_names.h"

/* Another apply may have put another plan there, or taken it away. */
static void refresh(struct log_names *names)
{
	struct state_version found;
	struct buffer bytes = { 0 };
	struct err ignored;
	bool present;

	state_version_of(names->state, STATE_PLAN, &found);
	if (state_version_equal(&found, &names->version))
		return;
	names->version = found;
	log_names_free(names);
	if (!state_read(names->state, STATE_PLAN, &bytes, &present, &ignored))
		return;
	names->has_plan = present && plan_decode(bytes.data, bytes.length, &names->plan, &ignored);
	buffer_free(&bytes);
}

const char *log_names_find(struct log_names *names, const struct address *address)
{
	if (!names->state)
		return NULL;
	refresh(names);
	for (size_t i = 0; names->has_plan && i < names->plan.hosts.count; i++)
		if (!address_compare(&names->plan.hosts.items[i].address, address))
			return names->plan.hosts.items[i].name;
	return NULL;
}

void log_names_free(struct log_names *names)
{
	if (names->has_plan)
		plan_free(&names->plan);
	names->has_plan = false;
}
