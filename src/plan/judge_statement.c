/* judge_statement.c: whether a packet in memory goes on behind one statement, and what that does to it. */
#include "plan/judge_statement.h"

#include <endian.h>
#include <netinet/in.h>
#include <string.h>

static bool is_in(const struct ruleset *ruleset, const char *name, enum set_type type,
		  const uint8_t *key)
{
	const struct set *set = ruleset_find_set(ruleset, name);

	return set && set->type == type && keyset_contains(&set->keys, key);
}

static bool user_is_in(const struct journey *journey, const char *name)
{
	uint32_t key = htobe32(journey->packet->uid);

	return journey->packet->owned &&
	       is_in(journey->ruleset, name, SET_UID, (const uint8_t *)&key);
}

static bool destination_is_in(const struct journey *journey, const struct statement *statement)
{
	const struct address *destination = &journey->packet->destination;

	return destination->family == statement->family &&
	       is_in(journey->ruleset, statement->name,
		     statement->family == FAMILY_IPV4 ? SET_IPV4 : SET_IPV6, destination->bytes);
}

/* The protocol that a statement takes for granted, unless the rule has asked for one before. */
static bool protocol_is(struct journey *journey, uint8_t protocol)
{
	bool matches = journey->protocol_matched || journey->packet->protocol == protocol;

	journey->protocol_matched = true;
	return matches;
}

static bool is_one_of(const struct statement *statement, uint8_t value)
{
	return memchr(statement->bytes.values, value, statement->bytes.count);
}

static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE ||
	       protocol == IPPROTO_SCTP || protocol == IPPROTO_DCCP;
}

static bool ports_match(struct journey *journey, const struct rangeset *ports, uint16_t port)
{
	return protocol_is(journey, IPPROTO_TCP) && has_ports(journey->packet->protocol) &&
	       rangeset_contains(ports, port);
}

static bool flags_match(struct journey *journey, const struct statement *statement)
{
	uint8_t flags = journey->packet->tcp_flags & statement->flags.mask;

	return protocol_is(journey, IPPROTO_TCP) && journey->packet->protocol == IPPROTO_TCP &&
	       (flags == statement->flags.value) != statement->negate;
}

/* A family's own ICMP; nothing else has a type. */
static bool icmp_type_matches(struct journey *journey, const struct statement *statement,
			      enum family family, uint8_t protocol)
{
	return journey->packet->destination.family == family && protocol_is(journey, protocol) &&
	       journey->packet->protocol == protocol &&
	       is_one_of(statement, journey->packet->icmp_type);
}

static bool group_report_matches(struct journey *journey, uint8_t records)
{
	static const struct statement report = { .bytes = { 1, { 143 } } };

	return icmp_type_matches(journey, &report, FAMILY_IPV6, IPPROTO_ICMPV6) &&
	       journey->packet->reported_groups == records;
}

static bool protocol_matches(struct journey *journey, const struct statement *statement)
{
	journey->protocol_matched = true;
	return is_one_of(statement, journey->packet->protocol);
}

/* ct mark and MARK == MARK, or == 0; either wants a connection. */
static bool mark_matches(const struct journey *journey, uint32_t mark, bool negate)
{
	return journey->packet->tracked && !(journey->mark & mark) == negate;
}

static bool set_mark(struct journey *journey, uint32_t mark)
{
	journey->mark |= journey->packet->tracked ? mark : 0;
	return journey->packet->tracked;
}

static bool clear_mark(struct journey *journey, uint32_t mark)
{
	journey->mark &= journey->packet->tracked ? ~mark : UINT32_MAX;
	return journey->packet->tracked;
}

static enum step match(bool matches)
{
	return matches ? STEP_NEXT : STEP_BREAK;
}

enum step judge_statement(struct journey *journey, const struct statement *statement)
{
	const struct packet *packet = journey->packet;

	switch (statement->kind) {
	case MATCH_USER_IN:
		return match(user_is_in(journey, statement->name));
	case MATCH_USER:
		return match(packet->owned && packet->uid >= statement->users.first &&
			     packet->uid <= statement->users.last);
	case MATCH_OWNED:
		return match(packet->owned);
	case MATCH_OUT_LOOPBACK:
		return match(packet->out_loopback != statement->negate);
	case MATCH_IN_LOOPBACK:
		return match(packet->in_loopback != statement->negate);
	case MATCH_DESTINATION:
		return match(prefix_contains(&statement->prefix, &packet->destination));
	case MATCH_DESTINATION_IN:
		return match(destination_is_in(journey, statement));
	case MATCH_DESTINATION_LOCAL:
		return match(packet->destination_local);
	case MATCH_SOURCE:
		return match(prefix_contains(&statement->prefix, &packet->source));
	case MATCH_SOURCE_LOCAL:
		return match(packet->source_local != statement->negate);
	case MATCH_PROTOCOL:
		return match(protocol_matches(journey, statement));
	case MATCH_PORTS:
		return match(ports_match(journey, &statement->ports, packet->destination_port));
	case MATCH_SOURCE_PORTS:
		return match(ports_match(journey, &statement->ports, packet->source_port));
	case MATCH_TCP_FLAGS:
		return match(flags_match(journey, statement));
	case MATCH_ICMP_TYPE:
		return match(icmp_type_matches(journey, statement, FAMILY_IPV4, IPPROTO_ICMP));
	case MATCH_ICMPV6_TYPE:
		return match(icmp_type_matches(journey, statement, FAMILY_IPV6, IPPROTO_ICMPV6));
	case MATCH_GROUP_REPORT:
		return match(group_report_matches(journey, statement->records));
	case MATCH_IP_PROTOCOL:
		return match(packet->destination.family == FAMILY_IPV4 &&
			     is_one_of(statement, packet->protocol));
	case MATCH_CT_MARK:
		return match(mark_matches(journey, OWNED_MARK, statement->negate));
	case MATCH_CT_PUBLISHED:
		return match(mark_matches(journey, PUBLISHED_MARK, statement->negate));
	case MATCH_CT_REPLY:
		return match(packet->tracked && packet->reply != statement->negate);
	case MATCH_CT_FIRST:
		return match(packet->tracked && packet->first);
	case MATCH_CT_ORIGINAL_PORTS:
		return match(packet->tracked && has_ports(packet->protocol) &&
			     rangeset_contains(&statement->ports, packet->original_port));
	case SET_CT_MARK:
		return match(set_mark(journey, OWNED_MARK));
	case CLEAR_CT_MARK:
		return match(clear_mark(journey, OWNED_MARK));
	case SET_CT_PUBLISHED:
		return match(set_mark(journey, PUBLISHED_MARK));
	case COUNT:
	case LOG:
		return STEP_NEXT;
	case ACCEPT:
	case DROP:
	case GOTO:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
		return STEP_VERDICT;
	case FOREIGN:
	case STATEMENT_KINDS:
		break;
	}
	return STEP_BREAK;
}
