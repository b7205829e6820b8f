/* xt_parts.c: from the statements of a rule to the parts of an entry that say them. */
#include "kernel/xt_parts.h"

#include "kernel/xt_shape.h"

#include <netinet/in.h>

static const struct range any_port = { 0, UINT16_MAX };

static bool take_protocol(struct xt_parts *parts, uint8_t protocol)
{
	if (parts->protocol && parts->protocol != protocol)
		return false;
	parts->protocol = protocol;
	return true;
}

/* Without a protocol in front, ports and flags are TCP's. */
static bool take_ports(struct xt_parts *parts, struct range *which, const struct rangeset *ports)
{
	if (!parts->protocol)
		parts->protocol = IPPROTO_TCP;
	if (ports->count != 1 || (parts->protocol != IPPROTO_TCP && parts->protocol != IPPROTO_UDP))
		return false;
	parts->by_ports = true;
	*which = ports->items[0];
	return true;
}

static bool take_type(struct xt_parts *parts, uint8_t protocol, const struct statement *statement)
{
	parts->by_type = true;
	parts->icmp_type = statement->bytes.values[0];
	return statement->bytes.count == 1 && take_protocol(parts, protocol);
}

/* False: no entry says this, or not together with what was taken before. */
static bool take(struct xt_parts *parts, const struct statement *statement)
{
	switch (statement->kind) {
	case MATCH_USER:
		parts->by_owner = true;
		parts->users = statement->users;
		return true;
	case MATCH_OWNED:
		parts->by_owner = true;
		parts->users = (struct range){ 0, XT_UID_LAST };
		return true;
	case MATCH_OUT_LOOPBACK:
		parts->out_loopback = true;
		parts->out_inverted = statement->negate;
		return true;
	case MATCH_IN_LOOPBACK:
		parts->in_inverted = statement->negate;
		return parts->in_loopback = true;
	case MATCH_DESTINATION:
		parts->destination = &statement->prefix;
		return true;
	case MATCH_SOURCE:
		parts->source = &statement->prefix;
		return true;
	case MATCH_DESTINATION_LOCAL:
		return parts->destination_local = true;
	case MATCH_SOURCE_LOCAL:
		parts->source_inverted = statement->negate;
		return parts->source_local = true;
	case MATCH_PROTOCOL:
		return statement->bytes.count == 1 &&
		       take_protocol(parts, statement->bytes.values[0]);
	case MATCH_PORTS:
		return take_ports(parts, &parts->destination_ports, &statement->ports);
	case MATCH_SOURCE_PORTS:
		return take_ports(parts, &parts->source_ports, &statement->ports);
	case MATCH_TCP_FLAGS:
		parts->by_flags = true;
		parts->flags_mask = statement->flags.mask;
		parts->flags_value = statement->flags.value;
		parts->flags_inverted = statement->negate;
		return take_protocol(parts, IPPROTO_TCP);
	case MATCH_ICMP_TYPE:
		return take_type(parts, IPPROTO_ICMP, statement);
	case MATCH_ICMPV6_TYPE:
		return take_type(parts, IPPROTO_ICMPV6, statement);
	case MATCH_CT_MARK:
		parts->mark_inverted = statement->negate;
		return parts->by_mark = true;
	case MATCH_CT_PUBLISHED:
		parts->published_inverted = statement->negate;
		return parts->by_published = true;
	case MATCH_CT_REPLY:
		parts->original = statement->negate;
		return parts->by_direction = true;
	case MATCH_CT_FIRST:
		return parts->first = true;
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
	case SET_CT_PUBLISHED:
	case LOG:
	case ACCEPT:
	case DROP:
	case GOTO:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
		if (parts->action)
			return false;
		parts->action = statement;
		return true;
	case MATCH_USER_IN:
	case MATCH_DESTINATION_IN:
	case MATCH_GROUP_REPORT:
	case MATCH_IP_PROTOCOL:
	case MATCH_CT_ORIGINAL_PORTS:
	case COUNT:
	case FOREIGN:
	case STATEMENT_KINDS:
		break;
	}
	return false;
}

bool xt_parts_of(const struct rule *rule, struct xt_parts *ret)
{
	struct xt_parts parts = { .destination_ports = any_port, .source_ports = any_port };

	for (size_t i = 0; i < rule->count; i++)
		if (!take(&parts, &rule->statements[i]))
			return false;
	if (!parts.action)
		return false;
	*ret = parts;
	return true;
}
