/* nft_statement.c: from the statements of a rule to the expressions that nft(8) makes of them. */
#include "kernel/nft_statement.h"

#include "kernel/nft_match.h"

#include <netinet/in.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>

#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <string.h>

struct rule_context rule_context(enum table_family table)
{
	return (struct rule_context){
		.table = table,
		.family_known = table != TABLE_INET,
		.family = table == TABLE_IP6 ? FAMILY_IPV6 : FAMILY_IPV4,
	};
}

/* ct mark set ct mark or 0x40000000, or: ct mark set ct mark and 0xbfffffff */
static void store_mark(uint32_t mark, bool set, struct expressions *out)
{
	const uint32_t others = ~mark, bit = set ? mark : 0;
	struct expression *bitwise;

	expressions_add(out, EXPRESSION_CT_LOAD)->key = NFT_CT_MARK;
	bitwise = expressions_add(out, EXPRESSION_BITWISE);
	bitwise->length = sizeof(others);
	memcpy(bitwise->mask, &others, sizeof(others));
	memcpy(bitwise->data, &bit, sizeof(bit));
	expressions_add(out, EXPRESSION_CT_STORE)->key = NFT_CT_MARK;
}

/* log group 9 prefix "egressfw " */
static void log_packet(struct expressions *out)
{
	struct expression *added = expressions_add(out, EXPRESSION_LOG);

	added->key = LOG_GROUP;
	strcpy(added->name, LOG_PREFIX);
}

/* goto CHAIN */
static bool go_to(const struct statement *statement, struct expressions *out, struct err *err)
{
	size_t length = strnlen(statement->name, sizeof(statement->name));
	struct expression *added;

	if (!length || length == sizeof(statement->name)) {
		err_set(err, "a chain's name is empty or too long");
		return false;
	}
	added = expressions_add(out, EXPRESSION_VERDICT);
	added->key = (uint32_t)NFT_GOTO;
	memcpy(added->name, statement->name, length);
	return true;
}

static void reject(struct expressions *out, uint32_t type, uint32_t code)
{
	struct expression *added = expressions_add(out, EXPRESSION_REJECT);

	added->key = type;
	added->offset = code;
}

/* reject with tcp reset */
static bool reject_reset(const struct rule_context *context, struct expressions *out,
			 struct err *err)
{
	if (context->protocol_count != 1 || context->protocols[0] != IPPROTO_TCP) {
		err_set(err, "a reset cannot answer what need not be TCP");
		return false;
	}
	reject(out, NFT_REJECT_TCP_RST, 0);
	return true;
}

/* reject with icmpx admin-prohibited; icmp and icmpv6 in the tables of one family */
static void reject_prohibited(enum table_family table, struct expressions *out)
{
	switch (table) {
	case TABLE_INET:
		reject(out, NFT_REJECT_ICMPX_UNREACH, NFT_REJECT_ICMPX_ADMIN_PROHIBITED);
		return;
	case TABLE_IP:
		reject(out, NFT_REJECT_ICMP_UNREACH, ICMP_PKT_FILTERED);
		return;
	case TABLE_IP6:
		reject(out, NFT_REJECT_ICMP_UNREACH, ICMP6_DST_UNREACH_ADMIN);
		return;
	}
}

bool statement_expand(const struct statement *statement, struct rule_context *context,
		      struct expressions *out, struct err *err)
{
	switch (statement->kind) {
	case MATCH_USER_IN:
	case MATCH_USER:
	case MATCH_OWNED:
	case MATCH_OUT_LOOPBACK:
	case MATCH_IN_LOOPBACK:
	case MATCH_DESTINATION:
	case MATCH_DESTINATION_IN:
	case MATCH_DESTINATION_LOCAL:
	case MATCH_SOURCE:
	case MATCH_SOURCE_LOCAL:
	case MATCH_PROTOCOL:
	case MATCH_PORTS:
	case MATCH_SOURCE_PORTS:
	case MATCH_TCP_FLAGS:
	case MATCH_ICMP_TYPE:
	case MATCH_ICMPV6_TYPE:
	case MATCH_GROUP_REPORT:
	case MATCH_IP_PROTOCOL:
	case MATCH_CT_MARK:
	case MATCH_CT_PUBLISHED:
	case MATCH_CT_REPLY:
	case MATCH_CT_FIRST:
	case MATCH_CT_ORIGINAL_PORTS:
		return match_expand(statement, context, out, err);
	case SET_CT_MARK:
	case CLEAR_CT_MARK:
		store_mark(OWNED_MARK, statement->kind == SET_CT_MARK, out);
		return true;
	case SET_CT_PUBLISHED: /* ct mark set ct mark or 0x20000000 */
		store_mark(PUBLISHED_MARK, true, out);
		return true;
	case COUNT: /* counter */
		expressions_add(out, EXPRESSION_COUNTER);
		return true;
	case LOG:
		log_packet(out);
		return true;
	case ACCEPT: /* accept */
		expressions_add(out, EXPRESSION_VERDICT)->key = NF_ACCEPT;
		return true;
	case DROP: /* drop */
		expressions_add(out, EXPRESSION_VERDICT)->key = NF_DROP;
		return true;
	case GOTO:
		return go_to(statement, out, err);
	case REJECT_RESET:
		return reject_reset(context, out, err);
	case REJECT_PROHIBITED:
		reject_prohibited(context->table, out);
		return true;
	case FOREIGN:
	case STATEMENT_KINDS:
		break;
	}
	err_set(err, "it is no statement of ours");
	return false;
}

bool rule_expand(enum table_family table, const struct rule *rule, struct expressions *out,
		 struct err *err)
{
	struct rule_context context = rule_context(table);

	if (!rule->count || rule->count > RULE_STATEMENTS_MAX) {
		err_set(err, "a rule of %zu statements; expected 1 to %d", rule->count,
			RULE_STATEMENTS_MAX);
		return false;
	}
	for (size_t i = 0; i < rule->count; i++) {
		if (!statement_expand(&rule->statements[i], &context, out, err)) {
			err_wrap(err, "statement %zu", i + 1);
			return false;
		}
	}
	return true;
}
