/* statement.c: what a statement of a rule works on, copied and compared by it. */
#include "plan/ruleset.h"

#include <string.h>

bool statement_is_verdict(enum statement_kind kind)
{
	return kind >= ACCEPT && kind <= REJECT_PROHIBITED;
}

enum operand statement_operand(enum statement_kind kind)
{
	switch (kind) {
	case MATCH_USER_IN:
		return OPERAND_USER_SET;
	case MATCH_DESTINATION_IN:
		return OPERAND_ADDRESS_SET;
	case GOTO:
		return OPERAND_CHAIN;
	case MATCH_USER:
		return OPERAND_USERS;
	case MATCH_DESTINATION:
	case MATCH_SOURCE:
		return OPERAND_PREFIX;
	case MATCH_PORTS:
	case MATCH_SOURCE_PORTS:
	case MATCH_CT_ORIGINAL_PORTS:
		return OPERAND_PORTS;
	case MATCH_PROTOCOL:
	case MATCH_ICMP_TYPE:
	case MATCH_ICMPV6_TYPE:
	case MATCH_IP_PROTOCOL:
		return OPERAND_BYTES;
	case MATCH_TCP_FLAGS:
		return OPERAND_FLAGS;
	case MATCH_GROUP_REPORT:
		return OPERAND_RECORDS;
	case MATCH_OWNED:
	case MATCH_OUT_LOOPBACK:
	case MATCH_IN_LOOPBACK:
	case MATCH_DESTINATION_LOCAL:
	case MATCH_SOURCE_LOCAL:
	case MATCH_CT_MARK:
	case MATCH_CT_PUBLISHED:
	case MATCH_CT_REPLY:
	case MATCH_CT_FIRST:
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
	case SET_CT_PUBLISHED:
	case COUNT:
	case LOG:
	case ACCEPT:
	case DROP:
	case REJECT_RESET:
	case REJECT_PROHIBITED:
		return OPERAND_NONE;
	case FOREIGN:
	case STATEMENT_KINDS:
		break;
	}
	return OPERAND_UNKNOWN;
}

struct statement statement_copy(const struct statement *statement)
{
	struct statement copy = *statement;

	copy.ports = rangeset_copy(&statement->ports);
	return copy;
}

static bool bytes_equal(const struct statement *one, const struct statement *other)
{
	return one->bytes.count == other->bytes.count &&
	       !memcmp(one->bytes.values, other->bytes.values, one->bytes.count);
}

bool statement_equal(const struct statement *one, const struct statement *other)
{
	if (one->kind != other->kind || one->negate != other->negate)
		return false;
	switch (statement_operand(one->kind)) {
	case OPERAND_NONE:
		return true;
	case OPERAND_ADDRESS_SET:
		return one->family == other->family && !strcmp(one->name, other->name);
	case OPERAND_USER_SET:
	case OPERAND_CHAIN:
		return !strcmp(one->name, other->name);
	case OPERAND_USERS:
		return one->users.first == other->users.first &&
		       one->users.last == other->users.last;
	case OPERAND_PREFIX:
		return one->prefix.length == other->prefix.length &&
		       !address_compare(&one->prefix.address, &other->prefix.address);
	case OPERAND_PORTS:
		return rangeset_equal(&one->ports, &other->ports);
	case OPERAND_BYTES:
		return bytes_equal(one, other);
	case OPERAND_FLAGS:
		return one->flags.mask == other->flags.mask &&
		       one->flags.value == other->flags.value;
	case OPERAND_RECORDS:
		return one->records == other->records;
	case OPERAND_UNKNOWN:
		break;
	}
	return false;
}
