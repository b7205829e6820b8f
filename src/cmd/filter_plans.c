/* filter_plans.c: the filters of the plans that are kept, of this instance and of the others. */
#include "cmd/filter_plans.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool read_filter(const struct session *session, const char *instance,
			struct filter_plan *ret)
{
	struct buffer bytes = { 0 };
	struct state *state = NULL;
	struct plan plan;
	struct err ignored;
	bool absent, present = false, found = false;

	if (!state_open(session->options->state_directory, instance, false, &state, &absent,
			&ignored))
		return false;
	if (state_read(state, STATE_PLAN, &bytes, &present, &ignored) && present &&
	    plan_decode(bytes.data, bytes.length, &plan, &ignored)) {
		found = plan.filtered;
		if (found)
			*ret = filter_plan_copy(&plan.filter);
		plan_free(&plan);
	}
	buffer_free(&bytes);
	state_close(state);
	return found;
}

bool filter_plan_read_kept(const struct session *session, struct filter_plan *ret)
{
	return session->state && read_filter(session, session->options->instance, ret);
}

static void read_neighbours(const struct session *session, struct filter_plans *plans)
{
	const struct options *options = session->options;
	struct state_instances instances;
	struct err ignored;

	if (!session->state || !state_instances(options->state_directory, &instances, &ignored))
		return;
	plans->items = memory_allocate(instances.count, sizeof(*plans->items));
	for (size_t i = 0; i < instances.count; i++) {
		struct neighbour *neighbour = &plans->items[plans->count];

		if (!strcmp(instances.items[i], options->instance) ||
		    !read_filter(session, instances.items[i], &neighbour->filter))
			continue;
		neighbour->instance = memory_copy_string(instances.items[i]);
		plans->count++;
	}
	state_instances_free(&instances);
}

void filter_plans_read(const struct session *session, struct filter_plans *ret)
{
	struct filter_plans plans = { 0 };

	filter_plan_read_kept(session, &plans.kept);
	read_neighbours(session, &plans);
	*ret = plans;
}

void filter_plans_free(struct filter_plans *plans)
{
	for (size_t i = 0; i < plans->count; i++) {
		free(plans->items[i].instance);
		filter_plan_free(&plans->items[i].filter);
	}
	free(plans->items);
	filter_plan_free(&plans->kept);
	*plans = (struct filter_plans){ 0 };
}

const struct neighbour *filter_plans_find(const struct filter_plans *plans,
					  const struct address_port *here, uint32_t uid)
{
	for (size_t i = 0; i < plans->count; i++)
		if (plans->items[i].filter.uid == uid &&
		    address_ports_have(&plans->items[i].filter.listen, here))
			return &plans->items[i];
	return NULL;
}
