/* xt_parts.c: from the statements of a rule to the parts of an entry that say them. */
#include "kernel/xt_parts.h"

#include "kernel/xt_shape.h"

#include <netinet/in.h>

static const struct range any_port = { 0, UINT16_MAX };

static bool take_users(struct xt_parts *parts, struct range users)
{
	parts->by_owner = true;
	parts->users = users;
	return true;
}

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

static bool take_flags(struct xt_parts *parts, const struct statement *statement)
{
	parts->by_flags = true;
	parts->flags_mask = statement->flags.mask;
	parts->flags_value = statement->flags.value;
	parts->flags_inverted = statement->negate;
	return take_protocol(parts, IPPROTO_TCP);
}

static bool take_action(struct xt_parts *parts, const struct statement *statement)
{
	bool first = !parts->action;

	parts->action = statement;
	return first;
}

static bool take_prefix(const struct prefix **part, const struct statement *statement)
{
	*part = &statement->prefix;
	return true;
}

/* What there is to say of it is only whether it is negated. */
static bool take_plain(bool *part, bool *part_inverted, const struct statement *statement)
{
	*part_inverted = statement->negate;
	return *part = true;
}

/* Of what is negated in rules that come here; the others' entries would say the contrary. */
static bool may_be_negated(enum statement_kind kind)
{
	return kind == MATCH_IN_LOOPBACK || kind == MATCH_SOURCE_LOCAL || kind == MATCH_TCP_FLAGS ||
	       kind == MATCH_CT_REPLY;
}

/* False: no entry says this, or not together with what was taken before. */
static bool take(struct xt_parts *parts, const struct statement *statement)
{
	switch (statement->kind) {
	case MATCH_USER:
		return take_users(parts, statement->users);
	case MATCH_OWNED:
		return take_users(parts, (struct range){ 0, XT_UID_LAST });
	case MATCH_OUT_LOOPBACK:
		return parts->out_loopback = true;
	case MATCH_IN_LOOPBACK:
		return take_plain(&parts->in_loopback, &parts->in_inverted, statement);
	case MATCH_DESTINATION:
		return take_prefix(&parts->destination, statement);
	case MATCH_SOURCE:
		return take_prefix(&parts->source, statement);
	case MATCH_DESTINATION_LOCAL:
		return parts->destination_local = true;
	case MATCH_SOURCE_LOCAL:
		return take_plain(&parts->source_local, &parts->source_inverted, statement);
	case MATCH_PROTOCOL:
		return statement->bytes.count == 1 &&
		       take_protocol(parts, statement->bytes.values[0]);
	case MATCH_PORTS:
		return take_ports(parts, &parts->destination_ports, &statement->ports);
	case MATCH_SOURCE_PORTS:
		return take_ports(parts, &parts->source_ports, &statement->ports);
	case MATCH_TCP_FLAGS:
		return take_flags(parts, statement);
	case MATCH_ICMP_TYPE:
		return take_type(parts, IPPROTO_ICMP, statement);
	case MATCH_ICMPV6_TYPE:
		return take_type(parts, IPPROTO_ICMPV6, statement);
	case MATCH_CT_MARK:
		return parts->by_mark = true;
	case MATCH_CT_PUBLISHED:
		return parts->by_published = true;
	case MATCH_CT_REPLY:
		return take_plain(&parts->by_direction, &parts->original, statement);
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
		return take_action(parts, statement);
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

	for (size_t i = 0; i < rule->count; i++) {
		const struct statement *statement = &rule->statements[i];

		if ((statement->negate && !may_be_negated(statement->kind)) ||
		    !take(&parts, statement))
			return false;
	}
	if (!parts.action)
		return false;
	*ret = parts;
	return true;
}
