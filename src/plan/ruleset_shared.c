/* ruleset_shared.c: whom two rulesets confine, and a filter that leads past one of them. */
#include "plan/ruleset_shared.h"

#include "plan/judge.h"
#include "plan/ruleset_build.h"
#include "plan/ruleset_parts.h"

#include <netinet/in.h>
#include <stdlib.h>

/* What the kernel gives a program that has bound none. */
enum { SOME_PORT = 40000 };

struct rangeset ruleset_shared_users(const struct ruleset *one, const struct ruleset *other)
{
	struct rangeset shared = ruleset_confined(one), only = rangeset_copy(&shared),
			others = ruleset_confined(other);

	rangeset_remove_all(&only, &others);
	rangeset_remove_all(&shared, &only);
	rangeset_free(&only);
	rangeset_free(&others);
	return shared;
}

static bool reaches(const struct ruleset *ruleset, uint32_t uid, const struct address_port *place)
{
	const struct packet packet = {
		.owned = true,
		.uid = uid,
		.source = place->address,
		.destination = place->address,
		.protocol = IPPROTO_TCP,
		.source_port = SOME_PORT,
		.destination_port = place->port,
		.original_port = place->port,
		.tcp_flags = TCP_SYN,
		.out_loopback = true,
		.destination_local = true,
		.source_local = true,
		.tracked = true,
		.first = true,
	};
	uint32_t mark;

	return judge_sent(ruleset, &packet, &mark) == JUDGED_ACCEPT;
}

/* A table of one family says nothing about the other, whose table is another one. */
static bool is_about(const struct ruleset *ruleset, const struct address_port *place)
{
	return ruleset->family == TABLE_INET ||
	       (ruleset->family == TABLE_IP) == (place->address.family == FAMILY_IPV4);
}

static bool is_reached(const struct ruleset *other, const struct rangeset *users,
		       const struct address_port *place, struct reached_filter *ret)
{
	for (size_t i = 0; is_about(other, place) && i < users->count; i++) {
		uint32_t uid = users->items[i].first;

		if (ruleset_is_intact(other) && !reaches(other, uid, place))
			continue;
		*ret = (struct reached_filter){ uid, *place };
		return true;
	}
	return false;
}

bool ruleset_reaches_filter(const struct ruleset *other, const struct rangeset *users,
			    const struct ruleset *filtered, struct reached_filter *ret)
{
	struct address_ports places;
	bool reached = false;

	if (!users->count || (!ruleset_find_chain(filtered, CHAIN_CLIENTS) &&
			      !ruleset_find_chain(filtered, CHAIN_GUARD)))
		return false;
	if (!ruleset_is_intact(filtered)) {
		*ret = (struct reached_filter){ .uid = users->items[0].first };
		return true;
	}
	ruleset_filter_places(filtered, &places);
	for (size_t i = 0; !reached && i < places.count; i++)
		reached = is_reached(other, users, &places.items[i], ret);
	free(places.items);
	return reached;
}
