/* nft_batch.c: one transaction as bytes, each message tied to the object that it is about. */
#include "kernel/nft_batch.h"

#include "base/memory.h"
#include "kernel/netlink.h"

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

void batch_free(struct batch *batch)
{
	buffer_free(&batch->bytes);
	free(batch->objects);
	*batch = (struct batch){ 0 };
}

/* Returns the sequence number of the message that the object is noted for. */
static uint32_t note(struct batch *batch, const struct batch_object *object)
{
	if ((batch->count & (batch->count - 1)) == 0)
		batch->objects = memory_resize(batch->objects, batch->count ? 2 * batch->count : 1,
					       sizeof(*batch->objects));
	batch->objects[batch->count] = *object;
	return batch->sequence + (uint32_t)batch->count++;
}

void batch_begin(struct batch *batch, uint32_t sequence, uint32_t generation)
{
	const struct batch_object whole = { .object = REFUSED_BATCH };
	size_t start;

	*batch = (struct batch){ .sequence = sequence };
	start = netlink_begin(&batch->bytes, NFNL_MSG_BATCH_BEGIN, 0, note(batch, &whole),
			      AF_UNSPEC, NFNL_SUBSYS_NFTABLES);
	if (generation)
		netlink_put_u32(&batch->bytes, NFNL_BATCH_GENID, generation);
	netlink_end(&batch->bytes, start);
}

void batch_leave_open(struct batch *batch)
{
	uint8_t *at = batch->bytes.data + batch->last + offsetof(struct nlmsghdr, nlmsg_flags);
	uint16_t flags;

	memcpy(&flags, at, sizeof(flags));
	flags |= NLM_F_ACK;
	memcpy(at, &flags, sizeof(flags));
}

void batch_end(struct batch *batch)
{
	const struct batch_object whole = { .object = REFUSED_BATCH };
	size_t start;

	batch_leave_open(batch);
	start = netlink_begin(&batch->bytes, NFNL_MSG_BATCH_END, 0, note(batch, &whole), AF_UNSPEC,
			      NFNL_SUBSYS_NFTABLES);
	netlink_end(&batch->bytes, start);
}

size_t batch_message(struct batch *batch, uint16_t type, uint16_t flags, enum table_family family,
		     const struct batch_object *object)
{
	batch->last = netlink_begin(&batch->bytes, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
				    flags, note(batch, object), table_family_number(family), 0);
	return batch->last;
}

void batch_message_end(struct batch *batch, size_t start)
{
	netlink_end(&batch->bytes, start);
}

const struct batch_object *batch_find(const struct batch *batch, uint32_t sequence)
{
	uint32_t index = sequence - batch->sequence;

	return &batch->objects[index < batch->count ? index : 0];
}

uint8_t table_family_number(enum table_family family)
{
	static const uint8_t numbers[] = {
		[TABLE_INET] = NFPROTO_INET,
		[TABLE_IP] = NFPROTO_IPV4,
		[TABLE_IP6] = NFPROTO_IPV6,
	};

	return numbers[family];
}

uint32_t set_type_number(enum set_type type)
{
	static const uint32_t numbers[] = {
		[SET_UID] = 24, [SET_IPV4] = 7, [SET_IPV6] = 8, [SET_PORT] = 13, [SET_FOREIGN] = 0
	};

	return numbers[type];
}

uint32_t hook_number(enum hook hook)
{
	static const uint32_t numbers[] = {
		[HOOK_INPUT] = NF_INET_LOCAL_IN,
		[HOOK_FORWARD] = NF_INET_FORWARD,
		[HOOK_OUTPUT] = NF_INET_LOCAL_OUT,
		[HOOK_POSTROUTING] = NF_INET_POST_ROUTING,
	};

	return numbers[hook];
}
