/* nft_expression.c: the nf_tables expressions that our statements are made of, as values. */
#include "kernel/nft_expression.h"

#include "base/memory.h"

#include <libnftnl/expr.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter/nf_tables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name the kernel replaces by a free one. */
#define ANONYMOUS_NAME "__set%d"

void expressions_free(struct expressions *expressions)
{
	for (size_t i = 0; i < expressions->count; i++)
		keyset_free(&expressions->items[i].set.keys);
	free(expressions->items);
	*expressions = (struct expressions){ 0 };
}

struct expression *expressions_add(struct expressions *expressions, enum expression_kind kind)
{
	struct expression *added;

	expressions->items =
		memory_resize(expressions->items, expressions->count + 1, sizeof(*expressions->items));
	added = &expressions->items[expressions->count++];
	*added = (struct expression){ .kind = kind };
	return added;
}

bool expression_equal(const struct expression *one, const struct expression *other)
{
	return one->kind == other->kind && one->key == other->key && one->offset == other->offset &&
	       one->length == other->length && !memcmp(one->data, other->data, sizeof(one->data)) &&
	       !memcmp(one->mask, other->mask, sizeof(one->mask)) && !strcmp(one->name, other->name) &&
	       one->set.present == other->set.present &&
	       (!one->set.present || keyset_equal(&one->set.keys, &other->set.keys));
}

/* Writing. */

static struct nftnl_expr *allocate(const char *name)
{
	struct nftnl_expr *result = nftnl_expr_alloc(name);

	if (!result)
		memory_exhausted();
	return result;
}

static void put(struct nftnl_expr *to, uint16_t attribute, const void *data, size_t length)
{
	if (nftnl_expr_set(to, attribute, data, (uint32_t)length) < 0)
		memory_exhausted();
}

static void put_u32(struct nftnl_expr *to, uint16_t attribute, uint32_t value)
{
	put(to, attribute, &value, sizeof(value));
}

static void put_text(struct nftnl_expr *to, uint16_t attribute, const char *text)
{
	put(to, attribute, text, strlen(text) + 1);
}

static struct nftnl_expr *make_byteorder(const struct expression *from)
{
	struct nftnl_expr *to = allocate("byteorder");

	put_u32(to, NFTNL_EXPR_BYTEORDER_SREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_BYTEORDER_DREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_BYTEORDER_OP, from->key);
	put_u32(to, NFTNL_EXPR_BYTEORDER_LEN, sizeof(uint32_t));
	put_u32(to, NFTNL_EXPR_BYTEORDER_SIZE, sizeof(uint32_t));
	return to;
}

static struct nftnl_expr *make_payload(const struct expression *from)
{
	struct nftnl_expr *to = allocate("payload");

	put_u32(to, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_PAYLOAD_BASE, from->key);
	put_u32(to, NFTNL_EXPR_PAYLOAD_OFFSET, from->offset);
	put_u32(to, NFTNL_EXPR_PAYLOAD_LEN, from->length);
	return to;
}

static struct nftnl_expr *make_bitwise(const struct expression *from)
{
	struct nftnl_expr *to = allocate("bitwise");

	put_u32(to, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_BITWISE_LEN, from->length);
	put(to, NFTNL_EXPR_BITWISE_MASK, from->mask, from->length);
	put(to, NFTNL_EXPR_BITWISE_XOR, from->data, from->length);
	return to;
}

static struct nftnl_expr *make_compare(const struct expression *from)
{
	struct nftnl_expr *to = allocate("cmp");

	put_u32(to, NFTNL_EXPR_CMP_SREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_CMP_OP, from->key);
	put(to, NFTNL_EXPR_CMP_DATA, from->data, from->length);
	return to;
}

static struct nftnl_expr *make_lookup(const struct expression *from, uint32_t set_id)
{
	struct nftnl_expr *to = allocate("lookup");

	put_u32(to, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1);
	put_text(to, NFTNL_EXPR_LOOKUP_SET, from->set.present ? ANONYMOUS_NAME : from->name);
	if (from->set.present)
		put_u32(to, NFTNL_EXPR_LOOKUP_SET_ID, set_id);
	return to;
}

static struct nftnl_expr *make_meta_or_ct(const struct expression *from)
{
	struct nftnl_expr *to = allocate(from->kind == EXPRESSION_META ? "meta" : "ct");

	if (from->kind == EXPRESSION_META) {
		put_u32(to, NFTNL_EXPR_META_KEY, from->key);
		put_u32(to, NFTNL_EXPR_META_DREG, NFT_REG_1);
		return to;
	}
	put_u32(to, NFTNL_EXPR_CT_KEY, from->key);
	put_u32(to, from->kind == EXPRESSION_CT_LOAD ? NFTNL_EXPR_CT_DREG : NFTNL_EXPR_CT_SREG, NFT_REG_1);
	return to;
}

static struct nftnl_expr *make_fib(const struct expression *from)
{
	struct nftnl_expr *to = allocate("fib");

	put_u32(to, NFTNL_EXPR_FIB_DREG, NFT_REG_1);
	put_u32(to, NFTNL_EXPR_FIB_RESULT, from->key);
	put_u32(to, NFTNL_EXPR_FIB_FLAGS, from->offset);
	return to;
}

static struct nftnl_expr *make_counter(void)
{
	struct nftnl_expr *to = allocate("counter");
	const uint64_t zero = 0;

	put(to, NFTNL_EXPR_CTR_PACKETS, &zero, sizeof(zero));
	put(to, NFTNL_EXPR_CTR_BYTES, &zero, sizeof(zero));
	return to;
}

static struct nftnl_expr *make_log(const struct expression *from)
{
	struct nftnl_expr *to = allocate("log");
	uint16_t group = (uint16_t)from->key;

	put(to, NFTNL_EXPR_LOG_GROUP, &group, sizeof(group));
	put_text(to, NFTNL_EXPR_LOG_PREFIX, from->name);
	return to;
}

static struct nftnl_expr *make_verdict(const struct expression *from)
{
	struct nftnl_expr *to = allocate("immediate");

	put_u32(to, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT);
	put_u32(to, NFTNL_EXPR_IMM_VERDICT, from->key);
	if (*from->name)
		put_text(to, NFTNL_EXPR_IMM_CHAIN, from->name);
	return to;
}

static struct nftnl_expr *make_reject(const struct expression *from)
{
	struct nftnl_expr *to = allocate("reject");
	uint8_t code = (uint8_t)from->offset;

	put_u32(to, NFTNL_EXPR_REJECT_TYPE, from->key);
	put(to, NFTNL_EXPR_REJECT_CODE, &code, sizeof(code));
	return to;
}

static struct nftnl_expr *make(const struct expression *from, uint32_t set_id)
{
	switch (from->kind) {
	case EXPRESSION_META:
	case EXPRESSION_CT_LOAD:
	case EXPRESSION_CT_STORE:
		return make_meta_or_ct(from);
	case EXPRESSION_BYTEORDER:
		return make_byteorder(from);
	case EXPRESSION_COMPARE:
		return make_compare(from);
	case EXPRESSION_PAYLOAD:
		return make_payload(from);
	case EXPRESSION_BITWISE:
		return make_bitwise(from);
	case EXPRESSION_LOOKUP:
		return make_lookup(from, set_id);
	case EXPRESSION_FIB:
		return make_fib(from);
	case EXPRESSION_COUNTER:
		return make_counter();
	case EXPRESSION_LOG:
		return make_log(from);
	case EXPRESSION_VERDICT:
		return make_verdict(from);
	case EXPRESSION_REJECT:
		return make_reject(from);
	case EXPRESSION_FOREIGN:
		break;
	}
	/* Statements never expand to a foreign expression, and leaving one out would widen the rule. */
	abort();
}

void expression_write(struct nlmsghdr *message, const struct expression *expression, uint32_t set_id)
{
	struct nftnl_expr *made = make(expression, set_id);

	nftnl_expr_build_payload(message, made);
	nftnl_expr_free(made);
}
