/* netlink.h: netfilter netlink messages, written into a buffer and read through a cursor. */
#ifndef EGRESSFW_KERNEL_NETLINK_H
#define EGRESSFW_KERNEL_NETLINK_H

#include "base/buffer.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. The headers of messages and attributes stand in host byte order, numbers within attributes
 * in network byte order. A message or nest is opened, filled and closed; the closing call writes
 * its length.
 */

/* Opens a message with its nfgenmsg header and returns where it starts. */
size_t netlink_begin(struct buffer *out, uint16_t type, uint16_t flags, uint32_t sequence,
		     uint8_t family, uint16_t resource);
void netlink_end(struct buffer *out, size_t start);

/*
 * Ends the process where an attribute is longer than its 16 bits can say: callers divide before
 * that.
 */
void netlink_put(struct buffer *out, uint16_t type, const void *data, size_t length);
void netlink_put_text(struct buffer *out, uint16_t type, const char *text); /* with its NUL */
void netlink_put_u32(struct buffer *out, uint16_t type, uint32_t value);
size_t netlink_nest_begin(struct buffer *out, uint16_t type);
void netlink_nest_end(struct buffer *out, size_t start);

/* A message that was received: what nlmsghdr and nfgenmsg say, and the attributes. */
struct netlink_message {
	uint16_t type, flags;
	uint32_t sequence;
	uint8_t family;       /* of nfgenmsg; 0 in control messages */
	const uint8_t *bytes; /* the whole message */
	size_t length;
	struct cursor payload; /* behind nlmsghdr; behind nfgenmsg in messages that have one */
};

/*
 * The next message of a datagram. False at its end; *ret_malformed tells whether bytes were left
 * that are none.
 */
bool netlink_next(struct cursor *datagram, struct netlink_message *ret, bool *ret_malformed);

struct attribute {
	uint16_t type; /* without the flags */
	struct cursor payload;
};

/* The next attribute; false at the end and where what follows is no attribute. */
bool attribute_next(struct cursor *attributes, struct attribute *ret);
bool attribute_find(struct cursor attributes, uint16_t type, struct attribute *ret);

/* The whole payload as one value; false where the attribute is missing or of another length. */
bool attribute_u32(struct cursor attributes, uint16_t type, uint32_t *ret);
bool attribute_u64(struct cursor attributes, uint16_t type, uint64_t *ret);

/*
 * Copies the text, up to a NUL or the end of the payload; false where it is missing or does not
 * fit.
 */
bool attribute_text(struct cursor attributes, uint16_t type, char *ret, size_t size);

#endif
