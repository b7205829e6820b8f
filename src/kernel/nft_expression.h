/* nft_expression.h: the nf_tables expressions that our statements are made of, as values. */
#ifndef EGRESSFW_KERNEL_NFT_EXPRESSION_H
#define EGRESSFW_KERNEL_NFT_EXPRESSION_H

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/keyset.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. All expressions work on register 1, verdicts on the verdict register. An expression of the
 * kernel that says anything this value cannot hold is EXPRESSION_FOREIGN.
 */
enum expression_kind {
	EXPRESSION_META,      /* key: enum nft_meta_keys */
	EXPRESSION_BYTEORDER, /* key: enum nft_byteorder_ops, over 4 bytes */
	EXPRESSION_COMPARE,   /* key: enum nft_cmp_ops; length, data */
	EXPRESSION_PAYLOAD,   /* key: enum nft_payload_bases; offset, length */
	EXPRESSION_BITWISE,   /* length; (register & mask) ^ data */
	EXPRESSION_LOOKUP,    /* name, or the keys of an anonymous set */
	EXPRESSION_FIB,       /* key: enum nft_fib_result; offset: flags */
	EXPRESSION_CT_LOAD,   /* key: enum nft_ct_keys */
	EXPRESSION_CT_STORE,  /* the same */
	EXPRESSION_CT_TUPLE,  /* the same, of the direction `offset` */
	EXPRESSION_COUNTER,
	EXPRESSION_LOG,     /* key: group; name: prefix */
	EXPRESSION_VERDICT, /* key: NF_ACCEPT, NF_DROP, NFT_GOTO; name: chain */
	EXPRESSION_REJECT,  /* key: enum nft_reject_types; offset: code */
	EXPRESSION_FOREIGN,
};

enum { EXPRESSION_DATA_MAX = 16 };

/* By these numbers nft(8) notes the byte order of a set's keys, for itself. */
enum { NFT_ORDER_HOST = 1, NFT_ORDER_NETWORK = 2 };

/* An anonymous set: what it holds, and how nft(8) describes such a set to itself. */
struct anonymous_set {
	bool present;
	uint32_t key_type, byte_order;
	struct keyset keys;
};

struct expression {
	enum expression_kind kind;
	uint32_t key, offset, length;
	uint8_t data[EXPRESSION_DATA_MAX], mask[EXPRESSION_DATA_MAX];
	char name[RULESET_NAME_SIZE];
	struct anonymous_set set;
	uint64_t packets, bytes;
	char text[RULESET_NAME_SIZE]; /* as read: its name and key, for messages */
};

/* Starts as { 0 }. */
struct expressions {
	struct expression *items;
	size_t count;
};

void expressions_free(struct expressions *expressions);
/* Adds a zeroed expression of the kind; valid until the next addition. */
struct expression *expressions_add(struct expressions *expressions, enum expression_kind kind);

/* The most frequent kinds of them. data may be NULL for zeros. */
void expressions_add_meta(struct expressions *expressions, uint32_t key);
void expressions_add_payload(struct expressions *expressions, uint32_t base, size_t offset,
			     size_t length);
void expressions_add_compare(struct expressions *expressions, uint32_t operation, const void *data,
			     size_t length);
void expressions_add_mask(struct expressions *expressions, const void *mask, const void *data,
			  size_t length);

/*
 * The same effect on a packet: counters, texts and an anonymous set's description are not compared.
 */
bool expression_equal(const struct expression *one, const struct expression *other);

/* Appends the name and the data of an NFTA_LIST_ELEM. An anonymous set is looked up by `set_id`. */
void expression_write(struct buffer *out, const struct expression *expression, uint32_t set_id);

/*
 * Finds an anonymous set by its name, or by its id within a batch (else 0); NULL: no such set is
 * anonymous.
 */
typedef const struct keyset *find_anonymous(void *context, const char *name, uint32_t id);

/* The expressions of NFTA_RULE_EXPRESSIONS. *ret is fresh. */
void expressions_read(struct cursor list, find_anonymous *find, void *context,
		      struct expressions *ret);

#endif
