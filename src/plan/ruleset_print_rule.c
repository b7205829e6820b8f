/* ruleset_print_rule.c: rules and statements as text that nft -f accepts. */
#include "plan/ruleset_print.h"

#include <inttypes.h>

struct name_of_value {
	uint8_t value;
	const char *name;
};

/* The names that nft(8) itself prints; any other value prints as its number. */
static const struct name_of_value protocols[] = {
	{ 1, "icmp" },       { 2, "igmp" },   { 6, "tcp" },       { 17, "udp" }, { 33, "dccp" },
	{ 58, "ipv6-icmp" }, { 132, "sctp" }, { 136, "udplite" }, { 0, NULL },
};

static const struct name_of_value icmp_types[] = {
	{ 0, "echo-reply" },     { 3, "destination-unreachable" }, { 8, "echo-request" },
	{ 11, "time-exceeded" }, { 12, "parameter-problem" },      { 0, NULL },
};

static const struct name_of_value icmpv6_types[] = {
	{ 1, "destination-unreachable" },
	{ 2, "packet-too-big" },
	{ 3, "time-exceeded" },
	{ 4, "parameter-problem" },
	{ 128, "echo-request" },
	{ 129, "echo-reply" },
	{ 131, "mld-listener-report" },
	{ 132, "mld-listener-done" },
	{ 133, "nd-router-solicit" },
	{ 135, "nd-neighbor-solicit" },
	{ 136, "nd-neighbor-advert" },
	{ 143, "mld2-listener-report" },
	{ 0, NULL },
};

static void print_value(uint8_t value, const struct name_of_value *names, struct buffer *out)
{
	for (; names->name; names++)
		if (names->value == value) {
			buffer_append_text(out, names->name);
			return;
		}
	buffer_printf(out, "%u", value);
}

static void print_values(const char *what, const struct statement *statement,
			 const struct name_of_value *names, struct buffer *out)
{
	uint8_t count = statement->bytes.count;

	buffer_printf(out, "%s %s", what, count > 1 ? "{ " : "");
	for (uint8_t i = 0; i < count; i++) {
		buffer_append_text(out, i ? ", " : "");
		print_value(statement->bytes.values[i], names, out);
	}
	buffer_append_text(out, count > 1 ? " }" : "");
}

static void print_ports(const char *header, const char *port, const struct rangeset *ports,
			struct buffer *out)
{
	buffer_printf(out, "%s %s %s", header, port, ports->count > 1 ? "{ " : "");
	rangeset_print(ports, out);
	buffer_append_text(out, ports->count > 1 ? " }" : "");
}

static void print_flag_names(uint8_t flags, struct buffer *out)
{
	static const char *const names[] = {
		"fin", "syn", "rst", "psh", "ack", "urg", "ecn", "cwr"
	};
	const char *separator = "";

	for (unsigned bit = 0; bit < 8; bit++)
		if (flags & (1U << bit)) {
			buffer_printf(out, "%s%s", separator, names[bit]);
			separator = " | ";
		}
	if (!flags)
		buffer_append_text(out, "0x0");
}

static void print_flags(const struct statement *statement, struct buffer *out)
{
	bool several = statement->flags.value & (statement->flags.value - 1);

	buffer_append_text(out, "tcp flags & (");
	print_flag_names(statement->flags.mask, out);
	buffer_printf(out, ") %s %s", statement->negate ? "!=" : "==", several ? "(" : "");
	print_flag_names(statement->flags.value, out);
	buffer_append_text(out, several ? ")" : "");
}

static void print_users(const struct range *users, struct buffer *out)
{
	buffer_printf(out, "meta skuid %" PRIu32, users->first);
	if (users->first != users->last)
		buffer_printf(out, "-%" PRIu32, users->last);
}

static void print_prefix(const struct prefix *prefix, const char *address, struct buffer *out)
{
	char text[PREFIX_TEXT_SIZE];

	buffer_printf(out, "%s %s %s", prefix->address.family == FAMILY_IPV6 ? "ip6" : "ip",
		      address, prefix_format(prefix, text));
}

/*
 * nft has no word for the records of a report (RFC 3810, 5.2): their number; then of each the
 * length of auxiliary data and the number of sources, both zero, and ff02::1:ff00:0/104.
 */
static void print_group_report(unsigned records, struct buffer *out)
{
	buffer_printf(out, "icmpv6 type mld2-listener-report @th,48,16 %u", records);
	for (unsigned i = 0; i < records; i++)
		buffer_printf(out, " @th,%u,128 0xff0200000000000000000001ff", 72 + 160 * i);
}

static void print_mark(unsigned mark, bool negate, struct buffer *out)
{
	buffer_printf(out, "ct mark and 0x%08x == 0x%08x", mark, negate ? 0 : mark);
}

/* icmpx exists in inet tables only; each family has a code of its own for the same thing. */
static const char *prohibited_text(enum table_family family)
{
	static const char *const texts[] = {
		[TABLE_INET] = "reject with icmpx admin-prohibited",
		[TABLE_IP] = "reject with icmp admin-prohibited",
		[TABLE_IP6] = "reject with icmpv6 admin-prohibited",
	};

	return texts[family];
}

/* `transport` is the header whose ports MATCH_PORTS is about. */
static void print_statement(const struct statement *statement, enum table_family family,
			    const char *transport, struct buffer *out)
{
	const char *comparison = statement->negate ? "!= " : "";

	switch (statement->kind) {
	case MATCH_USER_IN:
		buffer_printf(out, "meta skuid @%s", statement->name);
		break;
	case MATCH_USER:
		print_users(&statement->users, out);
		break;
	case MATCH_OWNED:
		buffer_append_text(out, "meta skuid 0-4294967295");
		break;
	case MATCH_OUT_LOOPBACK:
		buffer_printf(out, "oifname %s\"lo\"", comparison);
		break;
	case MATCH_IN_LOOPBACK:
		buffer_printf(out, "iifname %s\"lo\"", comparison);
		break;
	case MATCH_DESTINATION:
		print_prefix(&statement->prefix, "daddr", out);
		break;
	case MATCH_DESTINATION_IN:
		buffer_printf(out, "%s daddr @%s", statement->family == FAMILY_IPV6 ? "ip6" : "ip",
			      statement->name);
		break;
	case MATCH_DESTINATION_LOCAL:
		buffer_append_text(out, "fib daddr type local");
		break;
	case MATCH_SOURCE:
		print_prefix(&statement->prefix, "saddr", out);
		break;
	case MATCH_SOURCE_LOCAL:
		buffer_printf(out, "fib saddr type %slocal", comparison);
		break;
	case MATCH_PROTOCOL:
		print_values("meta l4proto", statement, protocols, out);
		break;
	case MATCH_PORTS:
		print_ports(transport, "dport", &statement->ports, out);
		break;
	case MATCH_SOURCE_PORTS:
		print_ports("tcp", "sport", &statement->ports, out);
		break;
	case MATCH_TCP_FLAGS:
		print_flags(statement, out);
		break;
	case MATCH_ICMP_TYPE:
		print_values("icmp type", statement, icmp_types, out);
		break;
	case MATCH_ICMPV6_TYPE:
		print_values("icmpv6 type", statement, icmpv6_types, out);
		break;
	case MATCH_GROUP_REPORT:
		print_group_report(statement->records, out);
		break;
	case MATCH_IP_PROTOCOL:
		print_values("ip protocol", statement, protocols, out);
		break;
	case MATCH_CT_MARK:
		print_mark(OWNED_MARK, statement->negate, out);
		break;
	case MATCH_CT_PUBLISHED:
		print_mark(PUBLISHED_MARK, statement->negate, out);
		break;
	case MATCH_CT_REPLY:
		buffer_printf(out, "ct direction %s", statement->negate ? "original" : "reply");
		break;
	case MATCH_CT_FIRST:
		buffer_append_text(out, "ct status and confirmed == 0");
		break;
	case MATCH_CT_ORIGINAL_PORTS:
		print_ports("ct original", "proto-dst", &statement->ports, out);
		break;
	case SET_CT_MARK:
		buffer_printf(out, "ct mark set ct mark or 0x%08x", OWNED_MARK);
		break;
	case CLEAR_CT_MARK:
		buffer_printf(out, "ct mark set ct mark and 0x%08x", ~(unsigned)OWNED_MARK);
		break;
	case SET_CT_PUBLISHED:
		buffer_printf(out, "ct mark set ct mark or 0x%08x", PUBLISHED_MARK);
		break;
	case COUNT:
		buffer_append_text(out, "counter");
		break;
	case LOG:
		buffer_printf(out, "log group %d prefix \"%s\"", LOG_GROUP, LOG_PREFIX);
		break;
	case ACCEPT:
		buffer_append_text(out, "accept");
		break;
	case DROP:
		buffer_append_text(out, "drop");
		break;
	case GOTO:
		buffer_printf(out, "goto %s", statement->name);
		break;
	case REJECT_RESET:
		buffer_append_text(out, "reject with tcp reset");
		break;
	case REJECT_PROHIBITED:
		buffer_append_text(out, prohibited_text(family));
		break;
	case FOREIGN:
		buffer_printf(out, "<not ours: %s>", statement->name);
		break;
	case STATEMENT_KINDS:
		break;
	}
}

void statement_print(const struct statement *statement, enum table_family family,
		     struct buffer *out)
{
	print_statement(statement, family, "tcp", out);
}

void rule_print(const struct rule *rule, enum table_family family, struct buffer *out)
{
	/* "tcp dport" would repeat, or contradict, the protocols that were named before it. */
	const char *transport = "tcp";

	for (size_t i = 0; i < rule->count; i++) {
		buffer_append_text(out, i ? " " : "");
		print_statement(&rule->statements[i], family, transport, out);
		if (rule->statements[i].kind == MATCH_PROTOCOL)
			transport = "th";
	}
}
