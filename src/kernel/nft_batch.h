/* nft_batch.h: one transaction as bytes, each message tied to the object that it is about. */
#ifndef EGRESSFW_KERNEL_NFT_BATCH_H
#define EGRESSFW_KERNEL_NFT_BATCH_H

#include "base/buffer.h"
#include "kernel/nft.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a message is about, for the sentence about its refusal. Pointers are borrowed from the
 * ruleset.
 */
struct batch_object {
	enum refused_object object;
	const char *table;
	const char *name; /* set or chain; NULL for batch and table */
	size_t rule;
	bool log; /* a rule with the log statement */
};

/* Pure. Starts as { 0 }. */
struct batch {
	struct buffer bytes;
	uint32_t sequence;            /* of the first message; the others follow by one */
	struct batch_object *objects; /* by sequence */
	size_t count;
	uint32_t set_ids; /* handed out so far, to anonymous sets */
	size_t last;      /* where the last object's message starts */
};

void batch_free(struct batch *batch);

/* The begin message; generation 0 guards nothing. */
void batch_begin(struct batch *batch, uint32_t sequence, uint32_t generation);
/* Asks for the acknowledgement on the last object's message, and ends the batch. */
void batch_end(struct batch *batch);
/*
 * The same without the end: the kernel looks at every object, answers, and takes all of them back.
 * This is how nft(8) does --check.
 */
void batch_leave_open(struct batch *batch);

/* Opens and closes the message NFT_MSG_`type` of an object, between the two above. */
size_t batch_message(struct batch *batch, uint16_t type, uint16_t flags, enum table_family family,
		     const struct batch_object *object);
void batch_message_end(struct batch *batch, size_t start);

/*
 * The object of a reply's sequence number; the first message (the batch itself) for any that is not
 * of this batch.
 */
const struct batch_object *batch_find(const struct batch *batch, uint32_t sequence);

/* The name of anonymous sets; the kernel puts a free number in place of %d. */
#define ANONYMOUS_SET "__set%d"

/*
 * User data, by which nft(8) prints, is made of { type, length, value } in host order. Types by
 * what it belongs to:
 */
enum { DATA_SET_BYTE_ORDER = 0, DATA_RULE_COMMENT = 0, DATA_ELEMENT_FLAGS = 1 };
enum { ELEMENT_FLAG_OPEN = 1 }; /* nothing ends this interval */

/* NFPROTO_INET and its like. */
uint8_t table_family_number(enum table_family family);

/* NF_INET_LOCAL_OUT and its like. */
uint32_t hook_number(enum hook hook);

/* What nft(8) calls the type of a set's keys. */
uint32_t set_type_number(enum set_type type);

#endif
