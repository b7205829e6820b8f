/* nft_match_header.c: matches that look into a packet's headers. */
#include "kernel/nft_match.h"
#include "kernel/nft_match_value.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>

#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_tables.h>
#include <stddef.h>
#include <string.h>

enum { TCP_FLAGS_OFFSET = 13, SOURCE_PORT_OFFSET = 0, PORT_OFFSET = 2 };
/* Of a report of version 2 (RFC 3810, 5.2). */
enum { REPORT_TYPE = 143, RECORDS_OFFSET = 6, RECORD_OFFSET = 8, RECORD_WIDTH = 20 };

static size_t destination_offset(enum family family)
{
	return family == FAMILY_IPV4 ? offsetof(struct iphdr, daddr)
				     : offsetof(struct ip6_hdr, ip6_dst);
}

static size_t source_offset(enum family family)
{
	return family == FAMILY_IPV4 ? offsetof(struct iphdr, saddr)
				     : offsetof(struct ip6_hdr, ip6_src);
}

/* ip daddr 192.0.2.0/24: whole bytes are compared as they stand, other lengths under a mask. */
static bool match_prefix(const struct prefix *prefix, size_t offset, struct rule_context *context,
			 struct expressions *out, struct err *err)
{
	size_t width = address_width(prefix->address.family);
	uint8_t bits[EXPRESSION_DATA_MAX] = { 0 };

	if (!prefix->length || prefix->length > 8 * width) {
		err_set(err, "an address of %u bits cannot be matched", prefix->length);
		return false;
	}
	if (!need_family(context, prefix->address.family, out, err))
		return false;
	if (prefix->length % 8 == 0) {
		expressions_add_payload(out, NFT_PAYLOAD_NETWORK_HEADER, offset,
					prefix->length / 8);
		expressions_add_compare(out, NFT_CMP_EQ, prefix->address.bytes, prefix->length / 8);
		return true;
	}
	for (size_t i = 0; i < prefix->length; i++)
		bits[i / 8] |= (uint8_t)(0x80 >> i % 8);
	expressions_add_payload(out, NFT_PAYLOAD_NETWORK_HEADER, offset, width);
	expressions_add_mask(out, bits, NULL, width);
	expressions_add_compare(out, NFT_CMP_EQ, prefix->address.bytes, width);
	return true;
}

/* ip daddr @SET */
static bool match_destination_in(const struct statement *statement, struct rule_context *context,
				 struct expressions *out, struct err *err)
{
	if (!need_family(context, statement->family, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_NETWORK_HEADER,
				destination_offset(statement->family),
				address_width(statement->family));
	return match_set(statement, out, err);
}

/* meta l4proto tcp, or { tcp, udp } */
static bool match_protocol(const struct statement *statement, struct rule_context *context,
			   struct expressions *out, struct err *err)
{
	if (context->protocol_count) {
		err_set(err, "the protocol is matched a second time");
		return false;
	}
	expressions_add_meta(out, NFT_META_L4PROTO);
	if (!match_bytes(statement, NFT_TYPE_PROTOCOL, NFT_ORDER_HOST, out, err))
		return false;
	context->protocol_count = statement->bytes.count;
	memcpy(context->protocols, statement->bytes.values, sizeof(context->protocols));
	return true;
}

static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE ||
	       protocol == IPPROTO_SCTP || protocol == IPPROTO_DCCP;
}

static bool match_ports(const struct statement *statement, size_t offset,
			struct rule_context *context, struct expressions *out, struct err *err)
{
	for (size_t i = 0; i < context->protocol_count; i++) {
		if (!has_ports(context->protocols[i])) {
			err_set(err, "protocol %u has no ports to match", context->protocols[i]);
			return false;
		}
	}
	if (!context->protocol_count && !need_protocol(context, IPPROTO_TCP, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER, offset, PORT_WIDTH);
	return compare_ports(&statement->ports, out, err);
}

/* ct original proto-dst 53 */
static bool match_original_ports(const struct statement *statement, struct expressions *out,
				 struct err *err)
{
	struct expression *added = expressions_add(out, EXPRESSION_CT_TUPLE);

	added->key = NFT_CT_PROTO_DST;
	added->offset = IP_CT_DIR_ORIGINAL;
	return compare_ports(&statement->ports, out, err);
}

/* tcp flags & (syn | ack) == syn */
static bool match_tcp_flags(const struct statement *statement, struct rule_context *context,
			    struct expressions *out, struct err *err)
{
	if (!need_protocol(context, IPPROTO_TCP, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER, TCP_FLAGS_OFFSET, 1);
	expressions_add_mask(out, &statement->flags.mask, NULL, 1);
	expressions_add_compare(out, statement->negate ? NFT_CMP_NEQ : NFT_CMP_EQ,
				&statement->flags.value, 1);
	return true;
}

/* icmp type { echo-reply, destination-unreachable } */
static bool match_icmp(const struct statement *statement, struct rule_context *context,
		       struct expressions *out, struct err *err)
{
	bool v6 = statement->kind == MATCH_ICMPV6_TYPE;

	if (!need_family(context, v6 ? FAMILY_IPV6 : FAMILY_IPV4, out, err) ||
	    !need_protocol(context, v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1);
	return match_bytes(statement, v6 ? NFT_TYPE_ICMPV6 : NFT_TYPE_ICMP, NFT_ORDER_NETWORK, out,
			   err);
}

/*
 * icmpv6 type mld2-listener-report @th,48,16 1 @th,72,128 0xff0200000000000000000001ff: what a
 * record says but its type and the last three bytes of its group.
 */
static bool match_group_report(uint8_t records, struct rule_context *context,
			       struct expressions *out, struct err *err)
{
	static const uint8_t type = REPORT_TYPE,
			     solicited[16] = { 0, 0, 0, 0xff, 0x02, [14] = 0x01, 0xff };
	const uint8_t count[2] = { 0, records };

	if (!records || records > GROUP_RECORDS_MAX) {
		err_set(err, "a report of %u groups cannot be matched; expected 1 to %d", records,
			GROUP_RECORDS_MAX);
		return false;
	}
	if (!need_family(context, FAMILY_IPV6, out, err) ||
	    !need_protocol(context, IPPROTO_ICMPV6, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER, 0, sizeof(type));
	expressions_add_compare(out, NFT_CMP_EQ, &type, sizeof(type));
	expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER, RECORDS_OFFSET, sizeof(count));
	expressions_add_compare(out, NFT_CMP_EQ, count, sizeof(count));
	for (size_t i = 0; i < records; i++) {
		expressions_add_payload(out, NFT_PAYLOAD_TRANSPORT_HEADER,
					RECORD_OFFSET + RECORD_WIDTH * i + 1, sizeof(solicited));
		expressions_add_compare(out, NFT_CMP_EQ, solicited, sizeof(solicited));
	}
	return true;
}

/* ip protocol igmp */
static bool match_ip_protocol(const struct statement *statement, struct rule_context *context,
			      struct expressions *out, struct err *err)
{
	if (!need_family(context, FAMILY_IPV4, out, err))
		return false;
	expressions_add_payload(out, NFT_PAYLOAD_NETWORK_HEADER, offsetof(struct iphdr, protocol),
				1);
	return match_bytes(statement, NFT_TYPE_PROTOCOL, NFT_ORDER_NETWORK, out, err);
}

bool match_header(const struct statement *statement, struct rule_context *context,
		  struct expressions *out, struct err *err)
{
	if (statement->kind == MATCH_DESTINATION)
		return match_prefix(&statement->prefix,
				    destination_offset(statement->prefix.address.family), context,
				    out, err);
	if (statement->kind == MATCH_SOURCE)
		return match_prefix(&statement->prefix,
				    source_offset(statement->prefix.address.family), context, out,
				    err);
	if (statement->kind == MATCH_DESTINATION_IN)
		return match_destination_in(statement, context, out, err);
	if (statement->kind == MATCH_PROTOCOL)
		return match_protocol(statement, context, out, err);
	if (statement->kind == MATCH_PORTS)
		return match_ports(statement, PORT_OFFSET, context, out, err);
	if (statement->kind == MATCH_SOURCE_PORTS)
		return match_ports(statement, SOURCE_PORT_OFFSET, context, out, err);
	if (statement->kind == MATCH_CT_ORIGINAL_PORTS)
		return match_original_ports(statement, out, err);
	if (statement->kind == MATCH_GROUP_REPORT)
		return match_group_report(statement->records, context, out, err);
	if (statement->kind == MATCH_TCP_FLAGS)
		return match_tcp_flags(statement, context, out, err);
	if (statement->kind == MATCH_ICMP_TYPE || statement->kind == MATCH_ICMPV6_TYPE)
		return match_icmp(statement, context, out, err);
	if (statement->kind == MATCH_IP_PROTOCOL)
		return match_ip_protocol(statement, context, out, err);
	err_set(err, "it is no match of ours");
	return false;
}
