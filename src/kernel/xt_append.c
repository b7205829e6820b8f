/* xt_append.c: the matches and the target of an entry, in bytes. */
#include "kernel/xt_parts.h"

#include "kernel/xt_shape.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

/*
 * What is behind the last member is padding, whose bytes would be anything; a block ends in zeroes.
 */
#define END_OF(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

void xt_append_block(const char *name, uint8_t revision, const void *data, size_t length,
		     struct buffer *out)
{
	struct xt_entry_match head = { 0 };
	size_t size = XT_ALIGN(sizeof(head) + length);
	uint8_t *bytes = buffer_reserve(out, size);

	_Static_assert(sizeof(struct xt_entry_match) == sizeof(struct xt_entry_target),
		       "matches and targets begin alike");
	head.u.user.match_size = (uint16_t)size;
	memcpy(head.u.user.name, name, strlen(name));
	head.u.user.revision = revision;
	memset(bytes, 0, size);
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), data, length);
	out->length += size;
}

static void append_owner(struct buffer *out, const struct xt_parts *parts, bool plain)
{
	const struct xt_owner_match_info info = {
		.uid_min = parts->users.first,
		.uid_max = parts->users.last,
		.match = XT_OWNER_UID,
	};
	const struct xt_owner_0 info_0 = { .uid = parts->users.first, .match = XT_OWNER_UID };

	if (plain)
		xt_append_block(XT_MATCH_OWNER, 0, &info_0, END_OF(struct xt_owner_0, invert), out);
	else
		xt_append_block(XT_MATCH_OWNER, XT_OWNER_REVISION, &info,
				END_OF(struct xt_owner_match_info, invert), out);
}

static void append_tcp(struct buffer *out, const struct xt_parts *parts)
{
	const struct xt_tcp info = {
		.spts = { (uint16_t)parts->source_ports.first, (uint16_t)parts->source_ports.last },
		.dpts = { (uint16_t)parts->destination_ports.first,
			  (uint16_t)parts->destination_ports.last },
		.flg_mask = parts->flags_mask,
		.flg_cmp = parts->flags_value,
		.invflags = parts->flags_inverted ? XT_TCP_INV_FLAGS : 0,
	};

	xt_append_block(XT_MATCH_TCP, 0, &info, sizeof(info), out);
}

static void append_udp(struct buffer *out, const struct xt_parts *parts)
{
	const struct xt_udp info = {
		.spts = { (uint16_t)parts->source_ports.first, (uint16_t)parts->source_ports.last },
		.dpts = { (uint16_t)parts->destination_ports.first,
			  (uint16_t)parts->destination_ports.last },
	};

	xt_append_block(XT_MATCH_UDP, 0, &info, END_OF(struct xt_udp, invflags), out);
}

/* Any code of the type. */
static void append_icmp(struct buffer *out, const struct xt_parts *parts)
{
	const struct ipt_icmp info = { .type = parts->icmp_type, .code = { 0, UINT8_MAX } };

	_Static_assert(sizeof(struct ipt_icmp) == sizeof(struct ip6t_icmp),
		       "both families compare type and code alike");
	xt_append_block(parts->protocol == IPPROTO_ICMP ? XT_MATCH_ICMP : XT_MATCH_ICMP6, 0, &info,
			sizeof(info), out);
}

static void append_connmark(struct buffer *out, uint32_t mark)
{
	const struct xt_connmark_mtinfo1 info = { .mark = mark, .mask = mark };

	xt_append_block(XT_MATCH_CONNMARK, XT_CONNMARK_REVISION, &info,
			END_OF(struct xt_connmark_mtinfo1, invert), out);
}

/* Without inversion the direction is the original one. */
static void append_conntrack(struct buffer *out, const struct xt_parts *parts)
{
	const struct xt_conntrack_mtinfo3 info = {
		.match_flags = (uint16_t)((parts->by_direction ? XT_CONNTRACK_DIRECTION : 0) |
					  (parts->first ? XT_CONNTRACK_STATUS : 0)),
		.invert_flags =
			(uint16_t)((parts->by_direction && !parts->original ? XT_CONNTRACK_DIRECTION
									    : 0) |
				   (parts->first ? XT_CONNTRACK_STATUS : 0)),
		.status_mask = parts->first ? IPS_CONFIRMED : 0,
	};

	xt_append_block(XT_MATCH_CONNTRACK, XT_CONNTRACK_REVISION, &info,
			END_OF(struct xt_conntrack_mtinfo3, repldst_port_high), out);
}

void xt_parts_append_matches(const struct xt_parts *parts, bool plain, struct buffer *out)
{
	const struct xt_addrtype_info_v1 types = {
		.source = parts->source_local ? XT_ADDRTYPE_LOCAL : 0,
		.dest = parts->destination_local ? XT_ADDRTYPE_LOCAL : 0,
		.flags = parts->source_inverted ? XT_ADDRTYPE_INVERT_SOURCE : 0,
	};

	if ((parts->by_ports || parts->by_flags) && parts->protocol == IPPROTO_TCP)
		append_tcp(out, parts);
	else if (parts->by_ports)
		append_udp(out, parts);
	if (parts->by_type)
		append_icmp(out, parts);
	/* After those: gVisor drops what has no owner as soon as it is asked for one. */
	if (parts->by_owner)
		append_owner(out, parts, plain);
	if (parts->source_local || parts->destination_local)
		xt_append_block(XT_MATCH_ADDRTYPE, XT_ADDRTYPE_REVISION, &types, sizeof(types),
				out);
	if (parts->by_mark)
		append_connmark(out, OWNED_MARK);
	if (parts->by_published)
		append_connmark(out, PUBLISHED_MARK);
	if (parts->by_direction || parts->first)
		append_conntrack(out, parts);
}

void xt_append_verdict(int32_t verdict, struct buffer *out)
{
	xt_append_block(XT_STANDARD_TARGET, 0, &verdict, sizeof(verdict), out);
}

static void append_reject(struct buffer *out, enum table_family family, bool reset)
{
	const struct ipt_reject_info info = {
		.with = reset ? IPT_TCP_RESET : IPT_ICMP_ADMIN_PROHIBITED,
	};
	const struct ip6t_reject_info info6 = {
		.with = reset ? IP6T_TCP_RESET : IP6T_ICMP6_ADM_PROHIBITED,
	};

	if (family == TABLE_IP6)
		xt_append_block(XT_TARGET_REJECT, 0, &info6, sizeof(info6), out);
	else
		xt_append_block(XT_TARGET_REJECT, 0, &info, sizeof(info), out);
}

/* The newest revision that the kernel has is the only one that iptables(8) can show. */
static void append_mark(struct buffer *out, uint32_t mark, uint32_t mask, bool revision_2)
{
	const struct xt_connmark_tginfo1 info = {
		.ctmark = mark,
		.ctmask = mask,
		.nfmask = UINT32_MAX, /* is not looked at here; iptables(8) writes it so */
		.mode = XT_CONNMARK_SET,
	};
	const struct xt_connmark_tginfo2 info_2 = {
		.ctmark = mark,
		.ctmask = mask,
		.nfmask = UINT32_MAX, /* is not looked at here; iptables(8) writes it so */
		.mode = XT_CONNMARK_SET,
	};

	if (revision_2)
		xt_append_block(XT_TARGET_CONNMARK, 2, &info_2,
				END_OF(struct xt_connmark_tginfo2, mode), out);
	else
		xt_append_block(XT_TARGET_CONNMARK, XT_CONNMARK_REVISION, &info,
				END_OF(struct xt_connmark_tginfo1, mode), out);
}

static void append_log(struct buffer *out)
{
	const struct xt_nflog_info info = { .group = LOG_GROUP, .prefix = LOG_PREFIX };

	xt_append_block(XT_TARGET_NFLOG, 0, &info, sizeof(info), out);
}

void xt_parts_append_target(const struct xt_parts *parts, enum table_family family,
			    const struct xt_kernel *kernel, struct buffer *out)
{
	enum statement_kind kind = parts->action->kind;

	if (kind == ACCEPT)
		xt_append_verdict(XT_RETURN, out);
	else if (kind == DROP)
		xt_append_verdict(-NF_DROP - 1, out);
	else if (kind == GOTO)
		xt_append_verdict(0, out);
	else if (kind == REJECT_RESET || kind == REJECT_PROHIBITED)
		append_reject(out, family, kind == REJECT_RESET);
	else if (kind == LOG)
		append_log(out);
	else if (kind == SET_CT_PUBLISHED)
		append_mark(out, PUBLISHED_MARK, PUBLISHED_MARK, kernel->connmark_2);
	else
		append_mark(out, kind == SET_CT_MARK ? OWNED_MARK : 0, OWNED_MARK,
			    kernel->connmark_2);
}
