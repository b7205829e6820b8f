/* filter_conflict.c: other filters, and whoever else is where this one wants to be. */
#include "cmd/filter_conflict.h"

#include "base/memory.h"
#include "cmd/filter_holder.h"
#include "cmd/filter_plans.h"
#include "cmd/filter_run.h"
#include "cmd/firewall_others.h"
#include "system/loopback.h"

#include <stdlib.h>
#include <string.h>

struct around {
	struct session *session;
	const struct filter_plan *filter; /* the one that is planned, or NULL */
	struct filter_process own;        /* the one that we started */
	bool alive;
	bool read; /* the plans, which can be long: only where they matter */
	struct filter_plans plans;
};

static const struct filter_plans *plans_of(struct around *around)
{
	if (!around->read)
		filter_plans_read(around->session, &around->plans);
	around->read = true;
	return &around->plans;
}

/* Whether one of these is not among the others. */
static bool have_more(const struct address_ports *these, const struct address_ports *others)
{
	for (size_t i = 0; i < these->count; i++)
		if (!address_ports_have(others, &these->items[i]))
			return true;
	return false;
}

/* The options by which what stands was applied, and this is not; false: there are none. */
static bool append_kept_options(const struct around *around, struct err *err)
{
	const struct filter_plan *kept = &around->plans.kept, *filter = around->filter;
	bool user, listen;

	if (!kept->uid || !filter)
		return false;
	user = kept->uid != filter->uid;
	listen = have_more(&kept->listen, &filter->listen);
	if (user)
		err_append(err, " --filter-user %u", kept->uid);
	for (size_t i = 0; listen && i < kept->listen.count; i++) {
		char text[ADDRESS_PORT_TEXT_SIZE];

		err_append(err, " --filter-listen %s",
			   address_port_format(&kept->listen.items[i], text));
	}
	return user || listen;
}

/* They are not remembered, and this instance may stand with some that solve it. */
static void advise_kept_options(const struct around *around, struct err *err)
{
	struct err options = { "" };

	if (append_kept_options(around, &options))
		err_append(err, "; this instance stands with%s: say that again", options.text);
}

/* Whoever was told where the filter is does not find it there any more. */
static void note_forgotten_options(struct around *around)
{
	struct session *session = around->session;
	const struct options *given = session->options;
	struct err options = { "" };

	if (given->filter_user || given->filter_listen.count ||
	    !append_kept_options(around, &options))
		return;
	free(session->filter_forgotten);
	session->filter_forgotten =
		memory_format("before, this instance was applied with%s, which is not remembered "
			      "and was not said now",
			      options.text);
}

/* Always false. */
static bool refuse(struct around *around, const struct address_port *here, uint32_t uid,
		   struct err *err)
{
	const struct filter_plan *filter = around->filter, *kept = &plans_of(around)->kept;
	const struct neighbour *neighbour = filter_plans_find(&around->plans, here, uid);
	bool wanted = filter && address_ports_have(&filter->listen, here);
	bool user = filter && uid == filter->uid;
	char text[ADDRESS_TEXT_SIZE];

	err_set(err, "at %s port %u listens uid %u", address_format(&here->address, text),
		here->port, uid);
	if (neighbour && (wanted || user)) {
		err_append(err, ", the filter of ");
		err_append_instance(err, neighbour->instance);
		err_append(err, ": give this one %s of its own",
			   wanted && user ? "a user (--filter-user) and a port (--filter-listen)"
			   : user         ? "a user (--filter-user)"
					  : "a port (--filter-listen)");
	} else if (uid == kept->uid && !kept->start && address_ports_have(&kept->listen, here)) {
		err_append(err,
			   ", the filter that somebody else started for what stands: end it "
			   "first%s",
			   wanted ? ", or say --no-filter-start" : "");
	} else if (user) {
		err_append(err,
			   "%s, the user of this filter, and nobody can tell with which settings "
			   "it was started: end it first",
			   filter_holder_text(here, uid).text);
	} else if (uid && uid == around->session->standing_filter) {
		err_append(err, ", the filter of another policy, which this one must not leave "
				"open: end it first");
	} else {
		err_append(err,
			   ", and not the filter's, %u: end that first%s, or give this one "
			   "another port (--filter-listen)",
			   filter->uid, filter_holder_text(here, uid).text);
	}
	advise_kept_options(around, err);
	return false;
}

/* Where it should listen there is nobody yet, or it is there. */
static bool check_wanted(struct around *around, struct err *err)
{
	const struct filter_plan *filter = around->filter;

	for (size_t i = 0; i < filter->listen.count; i++) {
		const struct address_port *here = &filter->listen.items[i];
		uint32_t uid = 0;
		bool found;

		if (!loopback_listener(here, &uid, &found, err))
			return false;
		if (found && !(around->alive && uid == around->own.uid) &&
		    (filter->start || uid != filter->uid ||
		     filter_plans_find(plans_of(around), here, uid)))
			return refuse(around, here, uid, err);
	}
	return true;
}

/* `planned` and where ours listens, which is ended first. */
static struct address_ports expected(const struct around *around,
				     const struct address_ports *planned)
{
	const struct address_ports *kept = &around->plans.kept.listen;
	struct address_ports all = {
		.items = memory_allocate(planned->count + kept->count, sizeof(*all.items)),
	};

	for (size_t i = 0; i < planned->count; i++)
		all.items[all.count++] = planned->items[i];
	for (size_t i = 0; i < kept->count; i++)
		all.items[all.count++] = kept->items[i];
	return all;
}

static bool check_user(struct around *around, uint32_t uid, const struct address_ports *planned,
		       struct err *err)
{
	bool ours = around->alive && around->own.uid == uid, found = false, good;
	struct address_port other;
	struct address_ports all;

	/* Nobody knows where it listens. */
	if (ours && plans_of(around)->kept.uid != uid)
		return true;
	if (!ours) {
		good = loopback_listener_besides(uid, planned, &other, &found, err);
	} else {
		all = expected(around, planned);
		good = loopback_listener_besides(uid, &all, &other, &found, err);
		free(all.items);
	}
	return good && (!found || refuse(around, &other, uid, err));
}

static bool check_users(struct around *around, struct err *err)
{
	static const struct address_ports none = { 0 };
	const struct filter_plan *filter = around->filter;
	uint32_t standing = around->session->standing_filter;

	return (!filter || check_user(around, filter->uid, &filter->listen, err)) &&
	       (!standing || (filter && standing == filter->uid) ||
		check_user(around, standing, &none, err));
}

static bool check_log(struct around *around, struct err *err)
{
	const struct filter_plans *plans = plans_of(around);

	for (size_t i = 0; i < plans->count; i++) {
		if (strcmp(plans->items[i].filter.log, around->filter->log))
			continue;
		err_set(err, "%s is where the filter of ", around->filter->log);
		err_append_instance(err, plans->items[i].instance);
		err_append(err, " logs: name another file by --filter-log");
		return false;
	}
	return true;
}

bool filter_check_conflicts(struct session *session, const struct filter_plan *filter,
			    struct err *err)
{
	struct around around = { .session = session, .filter = filter };
	bool good;

	if (!filter && !session->standing_filter)
		return true;
	good = filter_find(session, &around.own, &around.alive, err) &&
	       (!filter || check_wanted(&around, err)) && check_users(&around, err) &&
	       (!filter || check_log(&around, err));
	if (good && filter)
		note_forgotten_options(&around);
	filter_plans_free(&around.plans);
	return good;
}

bool filter_check_others(struct session *session, const struct filter_plan *filter, struct err *err)
{
	/* What is running by now is the planned one, or nobody's to spare. */
	struct around around = { .session = session, .filter = filter };
	bool good = check_users(&around, err);

	filter_plans_free(&around.plans);
	return good;
}

bool filter_is_of_others(const struct session *session)
{
	struct filter_plan kept = { 0 };
	bool theirs = filter_plan_read_kept(session, &kept) && !kept.start;

	filter_plan_free(&kept);
	return theirs;
}

bool filter_check_left(const struct session *session, bool of_others, struct err *err)
{
	static const struct address_ports none = { 0 };
	uint32_t standing = session->standing_filter;
	struct address_port here;
	char text[ADDRESS_TEXT_SIZE];
	bool found;

	if (!standing)
		return true;
	if (!loopback_listener_besides(standing, &none, &here, &found, err))
		return false;
	if (found)
		err_set(err, "at %s port %u listens uid %u, %s",
			address_format(&here.address, text), here.port, standing,
			of_others ? "the filter that somebody else started for it, and has to end"
				  : "a filter that nothing is known of, and that has to be ended");
	return !found;
}
