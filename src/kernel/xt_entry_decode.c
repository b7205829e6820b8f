/* xt_entry_decode.c: from the bytes of one entry of a legacy xtables table to a rule. */
#include "kernel/xt_entry.h"

#include "base/cursor.h"
#include "kernel/xt_match.h"
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

static void read_addresses(struct xt_reading *reading, enum family family, const void *source_bytes,
			   const void *source_mask, const void *destination_bytes,
			   const void *destination_mask)
{
	struct prefix from = read_prefix(family, source_bytes, source_mask),
		      to = read_prefix(family, destination_bytes, destination_mask);

	if (to.length)
		xt_reading_add(reading, destination(&to));
	if (from.length)
		xt_reading_add(reading, source(&from));
}

static void read_interfaces(struct xt_reading *reading, const char *in, const char *out,
			    uint8_t inverted)
{
	_Static_assert(IPT_INV_VIA_IN == IP6T_INV_VIA_IN, "the same in both families");
	if (*out)
		xt_reading_add(reading, plain(MATCH_OUT_LOOPBACK));
	if (*in)
		xt_reading_add(reading, inverted & IPT_INV_VIA_IN ? negated(MATCH_IN_LOOPBACK)
								  : plain(MATCH_IN_LOOPBACK));
}

static void read_header(struct xt_reading *reading, const uint8_t *bytes)
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

static void read_matches(struct xt_reading *reading, struct cursor cursor)
{
	const uint8_t *bytes;

	while ((bytes = cursor_take(&cursor, sizeof(struct xt_entry_match)))) {
		struct xt_entry_match head;
		struct cursor match;
		const uint8_t *data;

		memcpy(&head, bytes, sizeof(head));
		if (head.u.match_size < sizeof(head) ||
		    !(data = cursor_take(&cursor, head.u.match_size - sizeof(head))))
			return;
		match = cursor_over(data, head.u.match_size - sizeof(head));
		xt_match_read(reading, &head, match);
	}
}

static void read_target(struct xt_reading *reading, const struct xt_entry_view *view,
			const uint8_t *bytes, const char *jump)
{
	uint32_t first = 0;

	if (view->length - view->target >= sizeof(struct xt_entry_target) + sizeof(first))
		memcpy(&first, bytes + view->target + sizeof(struct xt_entry_target),
		       sizeof(first));
	if (jump)
		xt_reading_add(reading, go_to(jump));
	else if (view->standard)
		xt_reading_add(reading, plain(view->verdict == XT_RETURN ? ACCEPT : DROP));
	else if (!strcmp(view->target_name, XT_TARGET_REJECT))
		xt_reading_add(reading, plain(first == (reading->family == TABLE_IP6
								? (uint32_t)IP6T_TCP_RESET
								: (uint32_t)IPT_TCP_RESET)
						      ? REJECT_RESET
						      : REJECT_PROHIBITED));
	else if (!strcmp(view->target_name, XT_TARGET_CONNMARK))
		xt_reading_add(reading, plain(first == PUBLISHED_MARK ? SET_CT_PUBLISHED
					      : first                 ? SET_CT_MARK
								      : CLEAR_CT_MARK));
	else if (!strcmp(view->target_name, XT_TARGET_NFLOG))
		xt_reading_add(reading, plain(LOG));
}

/* Whether the rule that was read is all that the entry says. */
static bool is_whole(const struct xt_reading *reading, const struct xt_kernel *kernel,
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
	struct xt_reading reading = { .family = family };
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
		xt_reading_add(&reading, one_of(MATCH_PROTOCOL, &reading.protocol, 1));
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
