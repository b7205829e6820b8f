/* netlink.c: netfilter netlink messages, written into a buffer and read through a cursor. */
#include "kernel/netlink.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

static void pad(struct buffer *out)
{
	static const uint8_t zeros[NLA_ALIGNTO];

	buffer_append(out, zeros, NLA_ALIGN(out->length) - out->length);
}

size_t netlink_begin(struct buffer *out, uint16_t type, uint16_t flags, uint32_t sequence,
		     uint8_t family, uint16_t resource)
{
	const struct nlmsghdr header = {
		.nlmsg_type = type,
		.nlmsg_flags = flags | NLM_F_REQUEST,
		.nlmsg_seq = sequence,
	};
	const struct nfgenmsg general = {
		.nfgen_family = family,
		.version = NFNETLINK_V0,
		.res_id = htons(resource),
	};
	size_t start = out->length;

	buffer_append(out, &header, sizeof(header));
	buffer_append(out, &general, sizeof(general));
	return start;
}

void netlink_end(struct buffer *out, size_t start)
{
	uint32_t length = (uint32_t)(out->length - start);

	memcpy(out->data + start + offsetof(struct nlmsghdr, nlmsg_len), &length, sizeof(length));
}

void netlink_put(struct buffer *out, uint16_t type, const void *data, size_t length)
{
	const struct nlattr header = { .nla_len = (uint16_t)(NLA_HDRLEN + length),
				       .nla_type = type };

	/* A length cut to 16 bits would drop the rest of a rule in silence. */
	if (length > UINT16_MAX - NLA_HDRLEN)
		abort();
	buffer_append(out, &header, sizeof(header));
	buffer_append(out, data, length);
	pad(out);
}

void netlink_put_text(struct buffer *out, uint16_t type, const char *text)
{
	netlink_put(out, type, text, strlen(text) + 1);
}

void netlink_put_u32(struct buffer *out, uint16_t type, uint32_t value)
{
	uint32_t wire = htonl(value);

	netlink_put(out, type, &wire, sizeof(wire));
}

size_t netlink_nest_begin(struct buffer *out, uint16_t type)
{
	size_t start = out->length;

	netlink_put(out, type | NLA_F_NESTED, NULL, 0);
	return start;
}

void netlink_nest_end(struct buffer *out, size_t start)
{
	size_t length = out->length - start;
	uint16_t narrow = (uint16_t)length;

	if (length > UINT16_MAX)
		abort();
	memcpy(out->data + start + offsetof(struct nlattr, nla_len), &narrow, sizeof(narrow));
}

bool netlink_next(struct cursor *datagram, struct netlink_message *ret, bool *ret_malformed)
{
	struct nlmsghdr header;
	const uint8_t *bytes = cursor_take(datagram, sizeof(header)), *rest;
	struct nfgenmsg general = { 0 };
	size_t skip = 0;

	*ret_malformed = false;
	if (!bytes) {
		*ret_malformed = cursor_left(datagram) != 0;
		return false;
	}
	memcpy(&header, bytes, sizeof(header));
	*ret_malformed = true;
	if (header.nlmsg_len < sizeof(header))
		return false;
	rest = cursor_take(datagram, header.nlmsg_len - sizeof(header));
	if (!rest)
		return false;
	if (header.nlmsg_type >= NLMSG_MIN_TYPE) {
		skip = sizeof(general);
		if (header.nlmsg_len < sizeof(header) + skip)
			return false;
		memcpy(&general, rest, sizeof(general));
	}
	/* The padding of the last message may be missing. */
	for (size_t padding = NLMSG_ALIGN(header.nlmsg_len) - header.nlmsg_len; padding; padding--)
		cursor_take(datagram, 1);
	*ret_malformed = false;
	*ret = (struct netlink_message){
		.type = header.nlmsg_type,
		.flags = header.nlmsg_flags,
		.sequence = header.nlmsg_seq,
		.family = general.nfgen_family,
		.bytes = bytes,
		.length = header.nlmsg_len,
		.payload = cursor_over(rest + skip, header.nlmsg_len - sizeof(header) - skip),
	};
	return true;
}

bool attribute_next(struct cursor *attributes, struct attribute *ret)
{
	struct nlattr header;
	struct cursor ahead = *attributes;
	const uint8_t *bytes = cursor_take(&ahead, sizeof(header));
	size_t length, padding;

	if (!bytes)
		return false;
	memcpy(&header, bytes, sizeof(header));
	if (header.nla_len < NLA_HDRLEN)
		return false;
	length = header.nla_len - (size_t)NLA_HDRLEN;
	bytes = cursor_take(&ahead, length);
	if (!bytes)
		return false;
	padding = NLA_ALIGN(length) - length;
	if (padding && !cursor_take(&ahead, padding))
		cursor_take(&ahead, cursor_left(&ahead));
	ret->type = header.nla_type & NLA_TYPE_MASK;
	ret->payload = cursor_over(bytes, length);
	*attributes = ahead;
	return true;
}

bool attribute_find(struct cursor attributes, uint16_t type, struct attribute *ret)
{
	struct attribute attribute;

	while (attribute_next(&attributes, &attribute)) {
		if (attribute.type == type) {
			*ret = attribute;
			return true;
		}
	}
	return false;
}

bool attribute_u32(struct cursor attributes, uint16_t type, uint32_t *ret)
{
	struct attribute attribute;

	return attribute_find(attributes, type, &attribute) &&
	       cursor_left(&attribute.payload) == sizeof(*ret) &&
	       cursor_u32(&attribute.payload, ret);
}

bool attribute_u64(struct cursor attributes, uint16_t type, uint64_t *ret)
{
	struct attribute attribute;

	return attribute_find(attributes, type, &attribute) &&
	       cursor_left(&attribute.payload) == sizeof(*ret) &&
	       cursor_u64(&attribute.payload, ret);
}

bool attribute_text(struct cursor attributes, uint16_t type, char *ret, size_t size)
{
	struct attribute attribute;
	const uint8_t *text;
	size_t length;

	if (!attribute_find(attributes, type, &attribute))
		return false;
	length = cursor_left(&attribute.payload);
	text = cursor_take(&attribute.payload, length);
	length = strnlen((const char *)text, length);
	if (length >= size)
		return false;
	memcpy(ret, text, length);
	ret[length] = '\0';
	return true;
}
