/* xt_match.c: the matches of an xtables entry, read as statements. */
#include "kernel/xt_match.h"

#include "kernel/xt_shape.h"
#include "plan/ruleset_parts.h"

#include <string.h>

void xt_reading_add(struct xt_reading *reading, struct statement statement)
{
	if (reading->count < RULE_STATEMENTS_MAX)
		reading->statements[reading->count++] = statement;
}

static void add_ports(struct xt_reading *reading, enum statement_kind kind, const uint16_t ports[2])
{
	struct range *range = &reading->ranges[reading->count % RULE_STATEMENTS_MAX];

	*range = (struct range){ ports[0], ports[1] };
	if (ports[0] <= ports[1] && (ports[0] || ports[1] != UINT16_MAX))
		xt_reading_add(
			reading,
			(struct statement){ .kind = kind, .ports = (struct rangeset){ range, 1 } });
}

/* What the kernel keeps of a match, in the shape that its name and revision have. */
union match_info {
	struct xt_owner_0 owner_0;
	struct xt_owner_match_info owner;
	struct xt_tcp tcp;
	struct xt_udp udp;
	struct ipt_icmp icmp;
	struct xt_addrtype_info_v1 types;
	struct xt_connmark_mtinfo1 mark;
	struct xt_conntrack_mtinfo3 track;
};

static void read_owner_0(struct xt_reading *reading, const union match_info *info)
{
	xt_reading_add(reading, user(&(struct range){ info->owner_0.uid, info->owner_0.uid }));
}

static void read_owner(struct xt_reading *reading, const union match_info *info)
{
	const struct range users = { info->owner.uid_min, info->owner.uid_max };

	xt_reading_add(reading, !users.first && users.last == XT_UID_LAST ? plain(MATCH_OWNED)
									  : user(&users));
}

static void read_tcp(struct xt_reading *reading, const union match_info *info)
{
	const struct xt_tcp *tcp = &info->tcp;

	reading->protocol_said = true;
	add_ports(reading, MATCH_PORTS, tcp->dpts);
	add_ports(reading, MATCH_SOURCE_PORTS, tcp->spts);
	if (tcp->flg_mask)
		xt_reading_add(reading, tcp_flags(tcp->invflags & XT_TCP_INV_FLAGS, tcp->flg_mask,
						  tcp->flg_cmp));
}

static void read_udp(struct xt_reading *reading, const union match_info *info)
{
	add_ports(reading, MATCH_PORTS, info->udp.dpts);
	add_ports(reading, MATCH_SOURCE_PORTS, info->udp.spts);
}

static void read_icmp(struct xt_reading *reading, const union match_info *info)
{
	enum statement_kind kind =
		reading->family == TABLE_IP6 ? MATCH_ICMPV6_TYPE : MATCH_ICMP_TYPE;

	reading->protocol_said = true;
	xt_reading_add(reading, one_of(kind, &info->icmp.type, 1));
}

static void add_negatable(struct xt_reading *reading, enum statement_kind kind, bool negate)
{
	xt_reading_add(reading, negate ? negated(kind) : plain(kind));
}

static void read_types(struct xt_reading *reading, const union match_info *info)
{
	if (info->types.dest)
		xt_reading_add(reading, plain(MATCH_DESTINATION_LOCAL));
	if (info->types.source)
		add_negatable(reading, MATCH_SOURCE_LOCAL,
			      info->types.flags & XT_ADDRTYPE_INVERT_SOURCE);
}

static void read_connmark(struct xt_reading *reading, const union match_info *info)
{
	bool published = info->mark.mask == PUBLISHED_MARK;

	xt_reading_add(reading, plain(published ? MATCH_CT_PUBLISHED : MATCH_CT_MARK));
}

static void read_conntrack(struct xt_reading *reading, const union match_info *info)
{
	if (info->track.match_flags & XT_CONNTRACK_DIRECTION)
		add_negatable(reading, MATCH_CT_REPLY,
			      !(info->track.invert_flags & XT_CONNTRACK_DIRECTION));
	if (info->track.match_flags & XT_CONNTRACK_STATUS)
		xt_reading_add(reading, plain(MATCH_CT_FIRST));
}

void xt_match_read(struct xt_reading *reading, const struct xt_entry_match *head,
		   struct cursor data)
{
	static const struct {
		const char *name;
		uint8_t revision;
		size_t size;
		void (*read)(struct xt_reading *reading, const union match_info *info);
	} matches[] = {
		{ XT_MATCH_OWNER, 0, sizeof(struct xt_owner_0), read_owner_0 },
		{ XT_MATCH_OWNER, XT_OWNER_REVISION, sizeof(struct xt_owner_match_info),
		  read_owner },
		{ XT_MATCH_TCP, 0, sizeof(struct xt_tcp), read_tcp },
		{ XT_MATCH_UDP, 0, sizeof(struct xt_udp), read_udp },
		{ XT_MATCH_ICMP, 0, sizeof(struct ipt_icmp), read_icmp },
		{ XT_MATCH_ICMP6, 0, sizeof(struct ipt_icmp), read_icmp },
		{ XT_MATCH_ADDRTYPE, XT_ADDRTYPE_REVISION, sizeof(struct xt_addrtype_info_v1),
		  read_types },
		{ XT_MATCH_CONNMARK, XT_CONNMARK_REVISION, sizeof(struct xt_connmark_mtinfo1),
		  read_connmark },
		{ XT_MATCH_CONNTRACK, XT_CONNTRACK_REVISION, sizeof(struct xt_conntrack_mtinfo3),
		  read_conntrack },
	};
	union match_info info;

	for (size_t i = 0; i < sizeof(matches) / sizeof(*matches); i++) {
		const uint8_t *bytes;

		if (matches[i].revision != head->u.user.revision ||
		    strncmp(matches[i].name, head->u.user.name, sizeof(head->u.user.name)) != 0)
			continue;
		bytes = cursor_take(&data, matches[i].size);
		if (!bytes)
			return;
		memcpy(&info, bytes, matches[i].size);
		matches[i].read(reading, &info);
		return;
	}
}
