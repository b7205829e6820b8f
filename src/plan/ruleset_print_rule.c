/* ruleset_print_rule.c: rules and statements as text that nft -f accepts. */
#include "plan/ruleset_print.h"

#include <assert.h>
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

/* Where a statement stands, as far as its text depends on it. */
struct place {
	enum table_family family;
	const char *transport; /* the header whose ports MATCH_PORTS is about */
};

/* How a kind of statement is written. */
struct form {
	void (*print)(const struct form *form, const struct statement *statement,
		      const struct place *place, struct buffer *out);
	const char *text;
	const char *other; /* where negated, or what stands behind */
	const struct name_of_value *names;
	unsigned mark;
};

static void print_text(const struct form *form, const struct statement *statement,
		       const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_append_text(out, statement->negate && form->other ? form->other : form->text);
}

static void print_name(const struct form *form, const struct statement *statement,
		       const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_printf(out, "%s%s%s", form->text, statement->name, form->other);
}

static void print_users(const struct form *form, const struct statement *statement,
			const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_printf(out, "%s %" PRIu32, form->text, statement->users.first);
	if (statement->users.first != statement->users.last)
		buffer_printf(out, "-%" PRIu32, statement->users.last);
}

static const char *family_word(enum family family)
{
	return family == FAMILY_IPV6 ? "ip6" : "ip";
}

static void print_prefix(const struct form *form, const struct statement *statement,
			 const struct place *place, struct buffer *out)
{
	const struct prefix *prefix = &statement->prefix;
	char text[PREFIX_TEXT_SIZE];

	(void)place;
	buffer_printf(out, "%s %s %s", family_word(prefix->address.family), form->text,
		      prefix_format(prefix, text));
}

static void print_set(const struct form *form, const struct statement *statement,
		      const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_printf(out, "%s %s @%s", family_word(statement->family), form->text,
		      statement->name);
}

static void print_values(const struct form *form, const struct statement *statement,
			 const struct place *place, struct buffer *out)
{
	uint8_t count = statement->bytes.count;

	(void)place;
	buffer_printf(out, "%s %s", form->text, count > 1 ? "{ " : "");
	for (uint8_t i = 0; i < count; i++) {
		buffer_append_text(out, i ? ", " : "");
		print_value(statement->bytes.values[i], form->names, out);
	}
	buffer_append_text(out, count > 1 ? " }" : "");
}

static void print_ports(const struct form *form, const struct statement *statement,
			const struct place *place, struct buffer *out)
{
	const struct rangeset *ports = &statement->ports;

	buffer_printf(out, "%s %s %s", form->other ? form->other : place->transport, form->text,
		      ports->count > 1 ? "{ " : "");
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

static void print_flags(const struct form *form, const struct statement *statement,
			const struct place *place, struct buffer *out)
{
	bool several = statement->flags.value & (statement->flags.value - 1);

	(void)place;
	buffer_printf(out, "%s & (", form->text);
	print_flag_names(statement->flags.mask, out);
	buffer_printf(out, ") %s %s", statement->negate ? "!=" : "==", several ? "(" : "");
	print_flag_names(statement->flags.value, out);
	buffer_append_text(out, several ? ")" : "");
}

/*
 * nft has no word for the records of a report (RFC 3810, 5.2): their number; then of each the
 * length of auxiliary data and the number of sources, both zero, and ff02::1:ff00:0/104.
 */
static void print_group_report(const struct form *form, const struct statement *statement,
			       const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_printf(out, "%s @th,48,16 %u", form->text, statement->records);
	for (unsigned i = 0; i < statement->records; i++)
		buffer_printf(out, " @th,%u,128 0xff0200000000000000000001ff", 72 + 160 * i);
}

static void print_mark(const struct form *form, const struct statement *statement,
		       const struct place *place, struct buffer *out)
{
	(void)place;
	buffer_printf(out, "%s 0x%08x == 0x%08x", form->text, form->mark,
		      statement->negate ? 0 : form->mark);
}

static void print_change_of_mark(const struct form *form, const struct statement *statement,
				 const struct place *place, struct buffer *out)
{
	(void)statement;
	(void)place;
	buffer_printf(out, "%s 0x%08x", form->text, form->mark);
}

static void print_log(const struct form *form, const struct statement *statement,
		      const struct place *place, struct buffer *out)
{
	(void)statement;
	(void)place;
	buffer_printf(out, "%s %d prefix \"%s\"", form->text, LOG_GROUP, LOG_PREFIX);
}

/* icmpx exists in inet tables only; each family has a code of its own for the same thing. */
static void print_prohibited(const struct form *form, const struct statement *statement,
			     const struct place *place, struct buffer *out)
{
	static const char *const protocols_of[] = {
		[TABLE_INET] = "icmpx", [TABLE_IP] = "icmp", [TABLE_IP6] = "icmpv6"
	};

	(void)statement;
	buffer_printf(out, "%s %s admin-prohibited", form->text, protocols_of[place->family]);
}

static const struct form forms[] = {
	[MATCH_USER_IN] = { print_name, "meta skuid @", "", NULL, 0 },
	[MATCH_USER] = { print_users, "meta skuid", NULL, NULL, 0 },
	[MATCH_OWNED] = { print_text, "meta skuid 0-4294967295", NULL, NULL, 0 },
	[MATCH_OUT_LOOPBACK] = { print_text, "oifname \"lo\"", "oifname != \"lo\"", NULL, 0 },
	[MATCH_IN_LOOPBACK] = { print_text, "iifname \"lo\"", "iifname != \"lo\"", NULL, 0 },
	[MATCH_DESTINATION] = { print_prefix, "daddr", NULL, NULL, 0 },
	[MATCH_DESTINATION_IN] = { print_set, "daddr", NULL, NULL, 0 },
	[MATCH_DESTINATION_LOCAL] = { print_text, "fib daddr type local", NULL, NULL, 0 },
	[MATCH_SOURCE] = { print_prefix, "saddr", NULL, NULL, 0 },
	[MATCH_SOURCE_LOCAL] = { print_text, "fib saddr type local", "fib saddr type != local",
				 NULL, 0 },
	[MATCH_PROTOCOL] = { print_values, "meta l4proto", NULL, protocols, 0 },
	[MATCH_PORTS] = { print_ports, "dport", NULL, NULL, 0 },
	[MATCH_SOURCE_PORTS] = { print_ports, "sport", NULL, NULL, 0 },
	[MATCH_TCP_FLAGS] = { print_flags, "tcp flags", NULL, NULL, 0 },
	[MATCH_ICMP_TYPE] = { print_values, "icmp type", NULL, icmp_types, 0 },
	[MATCH_ICMPV6_TYPE] = { print_values, "icmpv6 type", NULL, icmpv6_types, 0 },
	[MATCH_GROUP_REPORT] = { print_group_report, "icmpv6 type mld2-listener-report", NULL, NULL,
				 0 },
	[MATCH_IP_PROTOCOL] = { print_values, "ip protocol", NULL, protocols, 0 },
	[MATCH_CT_MARK] = { print_mark, "ct mark and", NULL, NULL, OWNED_MARK },
	[MATCH_CT_PUBLISHED] = { print_mark, "ct mark and", NULL, NULL, PUBLISHED_MARK },
	[MATCH_CT_REPLY] = { print_text, "ct direction reply", "ct direction original", NULL, 0 },
	[MATCH_CT_FIRST] = { print_text, "ct status and confirmed == 0", NULL, NULL, 0 },
	[MATCH_CT_ORIGINAL_PORTS] = { print_ports, "proto-dst", "ct original", NULL, 0 },
	[SET_CT_MARK] = { print_change_of_mark, "ct mark set ct mark or", NULL, NULL, OWNED_MARK },
	[CLEAR_CT_MARK] = { print_change_of_mark, "ct mark set ct mark and", NULL, NULL,
			    ~(unsigned)OWNED_MARK },
	[SET_CT_PUBLISHED] = { print_change_of_mark, "ct mark set ct mark or", NULL, NULL,
			       PUBLISHED_MARK },
	[COUNT] = { print_text, "counter", NULL, NULL, 0 },
	[LOG] = { print_log, "log group", NULL, NULL, 0 },
	[ACCEPT] = { print_text, "accept", NULL, NULL, 0 },
	[DROP] = { print_text, "drop", NULL, NULL, 0 },
	[GOTO] = { print_name, "goto ", "", NULL, 0 },
	[REJECT_RESET] = { print_text, "reject with tcp reset", NULL, NULL, 0 },
	[REJECT_PROHIBITED] = { print_prohibited, "reject with", NULL, NULL, 0 },
	[FOREIGN] = { print_name, "<not ours: ", ">", NULL, 0 },
};
static_assert(sizeof(forms) / sizeof(*forms) == STATEMENT_KINDS, "every kind is written somehow");

static void print_statement(const struct statement *statement, const struct place *place,
			    struct buffer *out)
{
	const struct form *form = &forms[statement->kind];

	form->print(form, statement, place, out);
}

void statement_print(const struct statement *statement, enum table_family family,
		     struct buffer *out)
{
	print_statement(statement, &(struct place){ family, "tcp" }, out);
}

void rule_print(const struct rule *rule, enum table_family family, struct buffer *out)
{
	/* "tcp dport" would repeat, or contradict, the protocols that were named before it. */
	struct place place = { family, "tcp" };

	for (size_t i = 0; i < rule->count; i++) {
		buffer_append_text(out, i ? " " : "");
		print_statement(&rule->statements[i], &place, out);
		if (rule->statements[i].kind == MATCH_PROTOCOL)
			place.transport = "th";
	}
}
