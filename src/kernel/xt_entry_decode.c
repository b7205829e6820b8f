/* xt_entry_decode.c: from the bytes of one entry of a legacy xtables table to a rule. */
#include "kernel/xt_entry.h"

#include "base/cursor.h"
#include "kernel/xt_shape.h"
#include "plan/ruleset_parts.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/*
 * Theory of operation. What is read here is only a guess at what the entry means: the rule is
 * encoded again, and counts only where that gives the same bytes. So no field that a rule of ours
 * leaves alone (an inverted match, a code, a second range) can hide behind one that it does not.
 */
struct reading {
	enum table_family family;
	uint8_t protocol;
	bool protocol_said; /* a match implies it */
	struct statement statements[RULE_STATEMENTS_MAX];
	struct range ranges[RULE_STATEMENTS_MAX]; /* of their ports */
	size_t count;
};

static void add(struct reading *reading, struct statement statement)
{
	if (reading->count < RULE_STATEMENTS_MAX)
		reading->statements[reading->count++] = statement;
}

static void add_ports(struct reading *reading, enum statement_kind kind, const uint16_t ports[2])
{
	struct range *range = &reading->ranges[reading->count % RULE_STATEMENTS_MAX];

	*range = (struct range){ ports[0], ports[1] };
	if (ports[0] <= ports[1] && (ports[0] || ports[1] != UINT16_MAX))
		add(reading,
		    (struct statement){ .kind = kind, .ports = (struct rangeset){ range, 1 } });
}

/* A mask that is no prefix's gives a prefix that will not be encoded to the same mask. */
static struct prefix read_prefix(enum family family, const void *address, const void *mask)
{
	const uint8_t *bits = mask;
	struct address whole = { .family = family };
	uint8_t length = 0;

	memcpy(whole.bytes, address, address_width(family));
	while (length < address_bits(family) && bits[length / 8] & 0x80 >> length % 8)
		length++;
	return prefix_of(&whole, length);
}

static void read_addresses(struct reading *reading, enum family family, const void *source_bytes,
			   const void *source_mask, const void *destination_bytes,
			   const void *destination_mask)
{
	struct prefix from = read_prefix(family, source_bytes, source_mask),
		      to = read_prefix(family, destination_bytes, destination_mask);

	if (to.length)
		add(reading, destination(&to));
	if (from.length)
		add(reading, source(&from));
}

static void read_interfaces(struct reading *reading, const char *in, const char *out,
			    uint8_t inverted)
{
	_Static_assert(IPT_INV_VIA_OUT == IP6T_INV_VIA_OUT && IPT_INV_VIA_IN == IP6T_INV_VIA_IN,
		       "the same in both families");
	if (*out)
		add(reading, inverted & IPT_INV_VIA_OUT ? negated(MATCH_OUT_LOOPBACK)
							: plain(MATCH_OUT_LOOPBACK));
	if (*in)
		add(reading, inverted & IPT_INV_VIA_IN ? negated(MATCH_IN_LOOPBACK)
						       : plain(MATCH_IN_LOOPBACK));
}

static void read_header(struct reading *reading, const uint8_t *bytes)
{
	struct ipt_entry header;
	struct ip6t_entry header6;

	if (reading->family == TABLE_IP6) {
		memcpy(&header6, bytes, sizeof(header6));
		reading->protocol = (uint8_t)header6.ipv6.proto;
		read_interfaces(reading, header6.ipv6.iniface, header6.ipv6.outiface,
				header6.ipv6.invflags);
		read_addresses(reading, FAMILY_IPV6, &header6.ipv6.src, &header6.ipv6.smsk,
			       &header6.ipv6.dst, &header6.ipv6.dmsk);
	} else {
		memcpy(&header, bytes, sizeof(header));
		reading->protocol = (uint8_t)header.ip.proto;
		read_interfaces(reading, header.ip.iniface, header.ip.outiface, header.ip.invflags);
		read_addresses(reading, FAMILY_IPV4, &header.ip.src, &header.ip.smsk,
			       &header.ip.dst, &header.ip.dmsk);
	}
}

static void read_owner(struct reading *reading, const uint8_t *data, size_t length,
		       uint8_t revision)
{
	struct xt_owner_match_info info;
	struct xt_owner_0 info_0;

	if (!revision && length >= sizeof(info_0)) {
		memcpy(&info_0, data, sizeof(info_0));
		add(reading, user(&(struct range){ info_0.uid, info_0.uid }));
	} else if (revision && length >= sizeof(info)) {
		memcpy(&info, data, sizeof(info));
		if (!info.uid_min && info.uid_max == XT_UID_LAST)
			add(reading, plain(MATCH_OWNED));
		else
			add(reading, user(&(struct range){ info.uid_min, info.uid_max }));
	}
}

static void read_tcp(struct reading *reading, const uint8_t *data, size_t length)
{
	struct xt_tcp info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	reading->protocol_said = true;
	add_ports(reading, MATCH_PORTS, info.dpts);
	add_ports(reading, MATCH_SOURCE_PORTS, info.spts);
	if (info.flg_mask)
		add(reading,
		    tcp_flags(info.invflags & XT_TCP_INV_FLAGS, info.flg_mask, info.flg_cmp));
}

static void read_udp(struct reading *reading, const uint8_t *data, size_t length)
{
	struct xt_udp info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	add_ports(reading, MATCH_PORTS, info.dpts);
	add_ports(reading, MATCH_SOURCE_PORTS, info.spts);
}

static void read_icmp(struct reading *reading, const uint8_t *data, size_t length)
{
	struct ipt_icmp info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	reading->protocol_said = true;
	add(reading, one_of(reading->family == TABLE_IP6 ? MATCH_ICMPV6_TYPE : MATCH_ICMP_TYPE,
			    &info.type, 1));
}

static void read_types(struct reading *reading, const uint8_t *data, size_t length)
{
	struct xt_addrtype_info_v1 info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	if (info.dest)
		add(reading, plain(MATCH_DESTINATION_LOCAL));
	if (info.source)
		add(reading, info.flags & XT_ADDRTYPE_INVERT_SOURCE ? negated(MATCH_SOURCE_LOCAL)
								    : plain(MATCH_SOURCE_LOCAL));
}

static void read_connmark(struct reading *reading, const uint8_t *data, size_t length)
{
	struct xt_connmark_mtinfo1 info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	if (info.mask == PUBLISHED_MARK)
		add(reading, info.mark ? plain(MATCH_CT_PUBLISHED) : negated(MATCH_CT_PUBLISHED));
	else
		add(reading, info.mark ? plain(MATCH_CT_MARK) : negated(MATCH_CT_MARK));
}

static void read_conntrack(struct reading *reading, const uint8_t *data, size_t length)
{
	struct xt_conntrack_mtinfo3 info;

	if (length < sizeof(info))
		return;
	memcpy(&info, data, sizeof(info));
	if (info.match_flags & XT_CONNTRACK_DIRECTION)
		add(reading, info.invert_flags & XT_CONNTRACK_DIRECTION ? plain(MATCH_CT_REPLY)
									: negated(MATCH_CT_REPLY));
	if (info.match_flags & XT_CONNTRACK_STATUS)
		add(reading, plain(MATCH_CT_FIRST));
}

static void read_match(struct reading *reading, const struct xt_entry_match *head,
		       const uint8_t *data, size_t length)
{
	char name[XT_NAME_SIZE] = "";

	memcpy(name, head->u.user.name, sizeof(head->u.user.name));
	if (!strcmp(name, XT_MATCH_OWNER))
		read_owner(reading, data, length, head->u.user.revision);
	else if (!strcmp(name, XT_MATCH_TCP))
		read_tcp(reading, data, length);
	else if (!strcmp(name, XT_MATCH_UDP))
		read_udp(reading, data, length);
	else if (!strcmp(name, XT_MATCH_ICMP) || !strcmp(name, XT_MATCH_ICMP6))
		read_icmp(reading, data, length);
	else if (!strcmp(name, XT_MATCH_ADDRTYPE))
		read_types(reading, data, length);
	else if (!strcmp(name, XT_MATCH_CONNMARK))
		read_connmark(reading, data, length);
	else if (!strcmp(name, XT_MATCH_CONNTRACK))
		read_conntrack(reading, data, length);
}

static void read_matches(struct reading *reading, struct cursor cursor)
{
	const uint8_t *bytes;

	while ((bytes = cursor_take(&cursor, sizeof(struct xt_entry_match)))) {
		struct xt_entry_match head;
		const uint8_t *data;

		memcpy(&head, bytes, sizeof(head));
		if (head.u.match_size < sizeof(head) ||
		    !(data = cursor_take(&cursor, head.u.match_size - sizeof(head))))
			return;
		read_match(reading, &head, data, head.u.match_size - sizeof(head));
	}
}

static void read_target(struct reading *reading, const struct xt_entry_view *view,
			const uint8_t *bytes, const char *jump)
{
	uint32_t first = 0;

	if (view->length - view->target >= sizeof(struct xt_entry_target) + sizeof(first))
		memcpy(&first, bytes + view->target + sizeof(struct xt_entry_target),
		       sizeof(first));
	if (jump)
		add(reading, go_to(jump));
	else if (view->standard)
		add(reading, plain(view->verdict == XT_RETURN ? ACCEPT : DROP));
	else if (!strcmp(view->target_name, XT_TARGET_REJECT))
		add(reading, plain(first == (reading->family == TABLE_IP6 ? (uint32_t)IP6T_TCP_RESET
									  : (uint32_t)IPT_TCP_RESET)
					   ? REJECT_RESET
					   : REJECT_PROHIBITED));
	else if (!strcmp(view->target_name, XT_TARGET_CONNMARK))
		add(reading, plain(first == PUBLISHED_MARK ? SET_CT_PUBLISHED
				   : first                 ? SET_CT_MARK
							   : CLEAR_CT_MARK));
	else if (!strcmp(view->target_name, XT_TARGET_NFLOG))
		add(reading, plain(LOG));
}

/* Whether the rule that was read is all that the entry says. */
static bool is_whole(const struct reading *reading, const struct xt_kernel *kernel,
		     const uint8_t *bytes, size_t length)
{
	const struct rule rule = { .statements = (struct statement *)reading->statements,
				   .count = reading->count };
	struct buffer again = { 0 };
	const char *jump;
	struct err ignored;
	bool same = xt_entry_encode(&rule, reading->family, kernel, &again, &jump, &ignored) &&
		    xt_entry_equal(bytes, length, again.data, again.length, reading->family);

	buffer_free(&again);
	return same;
}

static void add_foreign(const struct xt_entry_view *view, const char *jump, struct chain *chain)
{
	struct statement foreign = { .kind = FOREIGN };

	snprintf(foreign.name, sizeof(foreign.name), "xtables entry with target %s",
		 jump             ? jump
		 : view->standard ? view->verdict == XT_RETURN ? "RETURN" : "verdict"
				  : view->target_name);
	chain_add_rule(chain, &foreign, 1);
}

void xt_entry_decode(const uint8_t *bytes, size_t length, enum table_family family,
		     const struct xt_kernel *kernel, const char *jump, struct chain *chain)
{
	struct reading reading = { .family = family };
	struct xt_entry_view view = { 0 };
	size_t header = xt_header_size(family);
	struct rule *rule;

	if (!xt_entry_view(bytes, length, family, &view) || view.length != length) {
		add_foreign(&view, jump, chain);
		return;
	}
	read_header(&reading, bytes);
	read_matches(&reading, cursor_over(bytes + header, view.target - header));
	if (reading.protocol && !reading.protocol_said)
		add(&reading, one_of(MATCH_PROTOCOL, &reading.protocol, 1));
	read_target(&reading, &view, bytes, jump);
	statements_sort(reading.statements, reading.count);
	if (!is_whole(&reading, kernel, bytes, length)) {
		add_foreign(&view, jump, chain);
		return;
	}
	rule = chain_add_rule(chain, reading.statements, reading.count);
	for (size_t i = 0; i < rule->count; i++)
		rule->statements[i].ports = rangeset_copy(&reading.statements[i].ports);
}
