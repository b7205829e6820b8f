/*
 * log_record.c: one record of the log group: what the kernel says about a packet, and its headers.
 */
#include "kernel/log_group.h"

#include "base/cursor.h"
#include "kernel/netlink.h"

#include <netinet/in.h>
#include <netinet/ip6.h>

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <string.h>

enum {
	IPV4_OPTIONS_START = 20,
	FRAGMENT_OFFSET_IPV4 = 0x1fff,
	FRAGMENT_OFFSET_IPV6 = 0xfff8,
	EXTENSION_UNIT = 8,
	AUTHENTICATION_UNIT = 4,
	HEADER_MOBILITY = 135,
	HEADER_HIP = 139,
	HEADER_SHIM6 = 140,
};

static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_UDPLITE ||
	       protocol == IPPROTO_SCTP || protocol == IPPROTO_DCCP;
}

/* A packet may be cut behind any header: then it has no ports, and is a record all the same. */
static void take_ports(struct cursor *packet, struct log_record *ret)
{
	uint16_t source, destination;

	if (!has_ports(ret->protocol) || !cursor_u16(packet, &source) ||
	    !cursor_u16(packet, &destination))
		return;
	ret->has_ports = true;
	ret->source_port = source;
	ret->destination_port = destination;
}

static bool take_address(struct cursor *packet, enum family family, struct address *ret)
{
	const uint8_t *bytes = cursor_take(packet, address_width(family));

	if (!bytes)
		return false;
	*ret = (struct address){ .family = family };
	memcpy(ret->bytes, bytes, address_width(family));
	return true;
}

static bool take_ipv4(struct cursor packet, struct log_record *ret)
{
	uint8_t version, service, hops;
	uint16_t identification, fragment, checksum;
	size_t header;

	if (!cursor_u8(&packet, &version) || !cursor_u8(&packet, &service) ||
	    !cursor_u16(&packet, &ret->length) || !cursor_u16(&packet, &identification) ||
	    !cursor_u16(&packet, &fragment) || !cursor_u8(&packet, &hops) ||
	    !cursor_u8(&packet, &ret->protocol) || !cursor_u16(&packet, &checksum) ||
	    !take_address(&packet, FAMILY_IPV4, &ret->source) ||
	    !take_address(&packet, FAMILY_IPV4, &ret->destination))
		return false;
	header = 4 * (size_t)(version & 0x0f);
	if (header < IPV4_OPTIONS_START)
		return false;
	if (!(fragment & FRAGMENT_OFFSET_IPV4) && cursor_take(&packet, header - IPV4_OPTIONS_START))
		take_ports(&packet, ret);
	return true;
}

/*
 * Moves over one extension header, if that is what comes; false at the end of them, or of the
 * bytes.
 */
static bool skip_extension(struct cursor *packet, uint8_t *protocol, bool *first_fragment)
{
	uint8_t next, units;
	uint16_t fragment;
	size_t rest;

	switch (*protocol) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_DSTOPTS:
	case HEADER_MOBILITY:
	case HEADER_HIP:
	case HEADER_SHIM6:
		if (!cursor_u8(packet, &next) || !cursor_u8(packet, &units))
			return false;
		rest = EXTENSION_UNIT * ((size_t)units + 1) - 2;
		break;
	case IPPROTO_AH:
		if (!cursor_u8(packet, &next) || !cursor_u8(packet, &units))
			return false;
		rest = AUTHENTICATION_UNIT * ((size_t)units + 2) - 2;
		break;
	case IPPROTO_FRAGMENT:
		if (!cursor_u8(packet, &next) || !cursor_u8(packet, &units) ||
		    !cursor_u16(packet, &fragment))
			return false;
		*first_fragment = *first_fragment && !(fragment & FRAGMENT_OFFSET_IPV6);
		rest = EXTENSION_UNIT - 4;
		break;
	default:
		return false;
	}
	if (!cursor_take(packet, rest))
		cursor_take(packet, cursor_left(packet));
	*protocol = next;
	return true;
}

static bool take_ipv6(struct cursor packet, struct log_record *ret)
{
	uint32_t version;
	uint16_t length;
	uint8_t hops;
	bool first_fragment = true;

	if (!cursor_u32(&packet, &version) || !cursor_u16(&packet, &length) ||
	    !cursor_u8(&packet, &ret->protocol) || !cursor_u8(&packet, &hops) ||
	    !take_address(&packet, FAMILY_IPV6, &ret->source) ||
	    !take_address(&packet, FAMILY_IPV6, &ret->destination))
		return false;
	ret->length = length > UINT16_MAX - sizeof(struct ip6_hdr)
			      ? UINT16_MAX
			      : (uint16_t)(length + sizeof(struct ip6_hdr));
	/* Behind a later fragment's header stands data, whatever it looks like. */
	while (first_fragment && skip_extension(&packet, &ret->protocol, &first_fragment))
		;
	if (first_fragment)
		take_ports(&packet, ret);
	return true;
}

static bool take_packet(struct cursor packet, struct log_record *ret)
{
	struct cursor ahead = packet;
	uint8_t version;

	if (!cursor_u8(&ahead, &version))
		return false;
	if (version >> 4 == 4)
		return take_ipv4(packet, ret);
	return version >> 4 == 6 && take_ipv6(packet, ret);
}

static void take_time(struct cursor stamp, struct log_record *ret)
{
	uint64_t seconds, micros;

	if (cursor_u64(&stamp, &seconds) && cursor_u64(&stamp, &micros) &&
	    seconds < UINT64_MAX / 1000000 - 1 && micros < 1000000)
		ret->time_us = seconds * 1000000 + micros;
}

bool log_record_decode(const void *message, size_t length, struct log_record *ret)
{
	struct cursor bytes = cursor_over(message, length);
	struct netlink_message read;
	struct log_record record = { 0 };
	struct attribute attribute;
	bool malformed;

	if (!netlink_next(&bytes, &read, &malformed) ||
	    read.type != (NFNL_SUBSYS_ULOG << 8 | NFULNL_MSG_PACKET) ||
	    !attribute_find(read.payload, NFULA_PAYLOAD, &attribute) ||
	    !take_packet(attribute.payload, &record))
		return false;
	record.has_uid = attribute_u32(read.payload, NFULA_UID, &record.uid);
	attribute_text(read.payload, NFULA_PREFIX, record.prefix, sizeof(record.prefix));
	attribute_u32(read.payload, NFULA_IFINDEX_OUTDEV, &record.out_index);
	if (attribute_find(read.payload, NFULA_TIMESTAMP, &attribute))
		take_time(attribute.payload, &record);
	*ret = record;
	return true;
}
