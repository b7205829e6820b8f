/* nft_expression_read.c: expressions as the kernel dumps them, each exactly understood or foreign. */
#include "kernel/nft_expression.h"

#include "base/memory.h"

#include <libnftnl/expr.h>
#include <linux/netfilter/nf_tables.h>
#include <stdio.h>
#include <string.h>

static bool has(const struct nftnl_expr *from, uint16_t attribute)
{
	return nftnl_expr_is_set(from, attribute);
}

/* Whether the attribute is there with this value. */
static bool is(const struct nftnl_expr *from, uint16_t attribute, uint32_t value)
{
	return has(from, attribute) && nftnl_expr_get_u32(from, attribute) == value;
}

/* Whether it says nothing: missing, or zero. */
static bool is_idle(const struct nftnl_expr *from, uint16_t attribute)
{
	return !has(from, attribute) || nftnl_expr_get_u32(from, attribute) == 0;
}

static bool take_u32(const struct nftnl_expr *from, uint16_t attribute, uint32_t *ret)
{
	if (!has(from, attribute))
		return false;
	*ret = nftnl_expr_get_u32(from, attribute);
	return true;
}

static bool take_data(const struct nftnl_expr *from, uint16_t attribute, uint8_t ret[EXPRESSION_DATA_MAX],
		      uint32_t *ret_length)
{
	const void *data = has(from, attribute) ? nftnl_expr_get(from, attribute, ret_length) : NULL;

	if (!data || *ret_length > EXPRESSION_DATA_MAX)
		return false;
	memcpy(ret, data, *ret_length);
	return true;
}

static bool take_text(const struct nftnl_expr *from, uint16_t attribute, char ret[RULESET_NAME_SIZE])
{
	const char *text = has(from, attribute) ? nftnl_expr_get_str(from, attribute) : NULL;

	if (!text || strlen(text) >= RULESET_NAME_SIZE)
		return false;
	strcpy(ret, text);
	return true;
}

static bool read_meta(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_META;
	return take_u32(from, NFTNL_EXPR_META_KEY, &to->key) && is(from, NFTNL_EXPR_META_DREG, NFT_REG_1);
}

static bool read_byteorder(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_BYTEORDER;
	return take_u32(from, NFTNL_EXPR_BYTEORDER_OP, &to->key) &&
	       is(from, NFTNL_EXPR_BYTEORDER_SREG, NFT_REG_1) &&
	       is(from, NFTNL_EXPR_BYTEORDER_DREG, NFT_REG_1) &&
	       is(from, NFTNL_EXPR_BYTEORDER_LEN, sizeof(uint32_t)) &&
	       is(from, NFTNL_EXPR_BYTEORDER_SIZE, sizeof(uint32_t));
}

static bool read_compare(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_COMPARE;
	return is(from, NFTNL_EXPR_CMP_SREG, NFT_REG_1) && take_u32(from, NFTNL_EXPR_CMP_OP, &to->key) &&
	       take_data(from, NFTNL_EXPR_CMP_DATA, to->data, &to->length);
}

static bool read_payload(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_PAYLOAD;
	return is(from, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1) &&
	       take_u32(from, NFTNL_EXPR_PAYLOAD_BASE, &to->key) &&
	       take_u32(from, NFTNL_EXPR_PAYLOAD_OFFSET, &to->offset) &&
	       take_u32(from, NFTNL_EXPR_PAYLOAD_LEN, &to->length);
}

static bool read_bitwise(const struct nftnl_expr *from, struct expression *to)
{
	uint32_t mask_length, xor_length;

	to->kind = EXPRESSION_BITWISE;
	return is(from, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1) && is(from, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1) &&
	       is_idle(from, NFTNL_EXPR_BITWISE_OP) && take_u32(from, NFTNL_EXPR_BITWISE_LEN, &to->length) &&
	       take_data(from, NFTNL_EXPR_BITWISE_MASK, to->mask, &mask_length) &&
	       take_data(from, NFTNL_EXPR_BITWISE_XOR, to->data, &xor_length) &&
	       mask_length == to->length && xor_length == to->length;
}

static bool read_lookup(const struct nftnl_expr *from, find_anonymous *find, void *context,
			struct expression *to)
{
	const struct keyset *keys;
	uint32_t id = 0;

	to->kind = EXPRESSION_LOOKUP;
	if (!is(from, NFTNL_EXPR_LOOKUP_SREG, NFT_REG_1) || has(from, NFTNL_EXPR_LOOKUP_DREG) ||
	    !is_idle(from, NFTNL_EXPR_LOOKUP_FLAGS) || !take_text(from, NFTNL_EXPR_LOOKUP_SET, to->name))
		return false;
	take_u32(from, NFTNL_EXPR_LOOKUP_SET_ID, &id);
	keys = find(context, to->name, id);
	if (keys) {
		to->set.present = true;
		to->set.keys = keyset_copy(keys);
		memset(to->name, 0, sizeof(to->name));
	}
	return true;
}

static bool read_fib(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_FIB;
	return is(from, NFTNL_EXPR_FIB_DREG, NFT_REG_1) && take_u32(from, NFTNL_EXPR_FIB_RESULT, &to->key) &&
	       take_u32(from, NFTNL_EXPR_FIB_FLAGS, &to->offset);
}

static bool read_ct(const struct nftnl_expr *from, struct expression *to)
{
	bool store = has(from, NFTNL_EXPR_CT_SREG);

	to->kind = store ? EXPRESSION_CT_STORE : EXPRESSION_CT_LOAD;
	return !has(from, NFTNL_EXPR_CT_DIR) && take_u32(from, NFTNL_EXPR_CT_KEY, &to->key) &&
	       is(from, store ? NFTNL_EXPR_CT_SREG : NFTNL_EXPR_CT_DREG, NFT_REG_1);
}

static bool read_counter(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_COUNTER;
	to->packets = nftnl_expr_get_u64(from, NFTNL_EXPR_CTR_PACKETS);
	to->bytes = nftnl_expr_get_u64(from, NFTNL_EXPR_CTR_BYTES);
	return true;
}

static bool read_log(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_LOG;
	if (!has(from, NFTNL_EXPR_LOG_GROUP) || !is_idle(from, NFTNL_EXPR_LOG_SNAPLEN) ||
	    has(from, NFTNL_EXPR_LOG_LEVEL) || has(from, NFTNL_EXPR_LOG_FLAGS) ||
	    (has(from, NFTNL_EXPR_LOG_QTHRESHOLD) && nftnl_expr_get_u16(from, NFTNL_EXPR_LOG_QTHRESHOLD)))
		return false;
	to->key = nftnl_expr_get_u16(from, NFTNL_EXPR_LOG_GROUP);
	return !has(from, NFTNL_EXPR_LOG_PREFIX) || take_text(from, NFTNL_EXPR_LOG_PREFIX, to->name);
}

static bool read_verdict(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_VERDICT;
	return is(from, NFTNL_EXPR_IMM_DREG, NFT_REG_VERDICT) &&
	       take_u32(from, NFTNL_EXPR_IMM_VERDICT, &to->key) &&
	       (!has(from, NFTNL_EXPR_IMM_CHAIN) || take_text(from, NFTNL_EXPR_IMM_CHAIN, to->name));
}

static bool read_reject(const struct nftnl_expr *from, struct expression *to)
{
	to->kind = EXPRESSION_REJECT;
	if (has(from, NFTNL_EXPR_REJECT_CODE))
		to->offset = nftnl_expr_get_u8(from, NFTNL_EXPR_REJECT_CODE);
	return take_u32(from, NFTNL_EXPR_REJECT_TYPE, &to->key);
}

static bool read_one(const struct nftnl_expr *from, find_anonymous *find, void *context, struct expression *to)
{
	static const struct {
		const char *name;
		bool (*read)(const struct nftnl_expr *from, struct expression *to);
	} readers[] = {
		{ "meta", read_meta },       { "byteorder", read_byteorder }, { "cmp", read_compare },
		{ "payload", read_payload }, { "bitwise", read_bitwise },     { "fib", read_fib },
		{ "ct", read_ct },           { "counter", read_counter },     { "log", read_log },
		{ "immediate", read_verdict }, { "reject", read_reject },
	};
	const char *name = nftnl_expr_get_str(from, NFTNL_EXPR_NAME);

	if (!strcmp(name, "lookup"))
		return read_lookup(from, find, context, to);
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
		if (!strcmp(name, readers[i].name))
			return readers[i].read(from, to);
	return false;
}

struct reading {
	find_anonymous *find;
	void *context;
	struct expressions *into;
};

static int take(struct nftnl_expr *from, void *context)
{
	struct reading *reading = context;
	struct expression *to = expressions_add(reading->into, EXPRESSION_FOREIGN);
	char text[RULESET_NAME_SIZE] = "";

	nftnl_expr_snprintf(text, sizeof(text), from, NFTNL_OUTPUT_DEFAULT, 0);
	if (!read_one(from, reading->find, reading->context, to))
		*to = (struct expression){ .kind = EXPRESSION_FOREIGN };
	snprintf(to->text, sizeof(to->text), "%s %.*s", nftnl_expr_get_str(from, NFTNL_EXPR_NAME), 40, text);
	return 0;
}

void expressions_read(const void *message, find_anonymous *find, void *context, struct expressions *ret)
{
	struct reading reading = { .find = find, .context = context, .into = ret };
	struct nftnl_rule *rule = nftnl_rule_alloc();

	if (!rule)
		memory_exhausted();
	*ret = (struct expressions){ 0 };
	if (nftnl_rule_nlmsg_parse(message, rule) < 0)
		strcpy(expressions_add(ret, EXPRESSION_FOREIGN)->text, "an expression unknown to libnftnl");
	else
		nftnl_expr_foreach(rule, take, &reading);
	nftnl_rule_free(rule);
}
