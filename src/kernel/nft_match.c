/* nft_match.c: the matches of a rule as the expressions that nft(8) makes of them. */
#include "kernel/nft_match.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/netfilter/nf_conntrack_tuple_common.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/rtnetlink.h>
#include <string.h>

enum { INTERFACE_WIDTH = 16 };

bool match_set(const struct statement *statement, struct expressions *out, struct err *err)
{
	size_t length = strnlen(statement->name, sizeof(statement->name));

	if (!length || length == sizeof(statement->name)) {
		err_set(err, "a set's name is empty or too long");
		return false;
	}
	memcpy(expressions_add(out, EXPRESSION_LOOKUP)->name, statement->name, length);
	return true;
}

/* [ meta load skuid => reg 1 ] [ byteorder reg 1 = hton(reg 1, 4, 4) ] */
static void load_user(struct expressions *out)
{
	expressions_add_meta(out, NFT_META_SKUID);
	expressions_add(out, EXPRESSION_BYTEORDER)->key = NFT_BYTEORDER_HTON;
}

/* Ranges are compared in network order. */
static void match_user_range(uint32_t first, uint32_t last, struct expressions *out)
{
	const uint32_t low = htonl(first), high = htonl(last);

	load_user(out);
	expressions_add_compare(out, NFT_CMP_GTE, &low, sizeof(low));
	expressions_add_compare(out, NFT_CMP_LTE, &high, sizeof(high));
}

/* meta skuid 1500, or 100000-165535 */
static bool match_user(const struct range *users, struct expressions *out, struct err *err)
{
	if (users->first > users->last || users->last > UID_LAST) {
		err_set(err,
			"uids %" PRIu32 "-%" PRIu32
			" cannot be matched; expected up to %u, in order",
			users->first, users->last, UID_LAST);
		return false;
	}
	if (users->first == users->last) {
		expressions_add_meta(out, NFT_META_SKUID);
		expressions_add_compare(out, NFT_CMP_EQ, &users->first, sizeof(users->first));
		return true;
	}
	match_user_range(users->first, users->last, out);
	return true;
}

/* oifname "lo" */
static void match_loopback(uint32_t key, bool negate, struct expressions *out)
{
	const char name[INTERFACE_WIDTH] = "lo";

	expressions_add_meta(out, key);
	expressions_add_compare(out, negate ? NFT_CMP_NEQ : NFT_CMP_EQ, name, sizeof(name));
}

/* fib daddr type local, or: fib saddr type local */
static void match_local(uint32_t address, bool negate, struct expressions *out)
{
	const uint32_t local = RTN_LOCAL;
	struct expression *added = expressions_add(out, EXPRESSION_FIB);

	added->key = NFT_FIB_RESULT_ADDRTYPE;
	added->offset = address;
	expressions_add_compare(out, negate ? NFT_CMP_NEQ : NFT_CMP_EQ, &local, sizeof(local));
}

/* ct mark and 0x40000000 == 0x40000000; ct status and confirmed == 0 */
static void match_bit(uint32_t key, uint32_t bit, bool negate, struct expressions *out)
{
	const uint32_t wanted = negate ? 0 : bit;

	expressions_add(out, EXPRESSION_CT_LOAD)->key = key;
	expressions_add_mask(out, &bit, NULL, sizeof(bit));
	expressions_add_compare(out, NFT_CMP_EQ, &wanted, sizeof(wanted));
}

/* ct direction reply, or: ct direction original */
static void match_direction(bool negate, struct expressions *out)
{
	const uint8_t direction = negate ? IP_CT_DIR_ORIGINAL : IP_CT_DIR_REPLY;

	expressions_add(out, EXPRESSION_CT_LOAD)->key = NFT_CT_DIRECTION;
	expressions_add_compare(out, NFT_CMP_EQ, &direction, sizeof(direction));
}

static bool can_negate(enum statement_kind kind)
{
	return kind == MATCH_OUT_LOOPBACK || kind == MATCH_IN_LOOPBACK ||
	       kind == MATCH_SOURCE_LOCAL || kind == MATCH_TCP_FLAGS || kind == MATCH_CT_MARK ||
	       kind == MATCH_CT_PUBLISHED || kind == MATCH_CT_REPLY;
}

/* The matches that need no word about what came before. */
static bool expand_plain(const struct statement *statement, struct expressions *out)
{
	if (statement->kind == MATCH_OWNED) /* meta skuid 0-4294967295 */
		match_user_range(0, UINT32_MAX, out);
	else if (statement->kind == MATCH_OUT_LOOPBACK)
		match_loopback(NFT_META_OIFNAME, statement->negate, out);
	else if (statement->kind == MATCH_IN_LOOPBACK)
		match_loopback(NFT_META_IIFNAME, statement->negate, out);
	else if (statement->kind == MATCH_DESTINATION_LOCAL)
		match_local(NFTA_FIB_F_DADDR, false, out);
	else if (statement->kind == MATCH_SOURCE_LOCAL)
		match_local(NFTA_FIB_F_SADDR, statement->negate, out);
	else if (statement->kind == MATCH_CT_MARK)
		match_bit(NFT_CT_MARK, OWNED_MARK, statement->negate, out);
	else if (statement->kind == MATCH_CT_PUBLISHED)
		match_bit(NFT_CT_MARK, PUBLISHED_MARK, statement->negate, out);
	else if (statement->kind == MATCH_CT_FIRST)
		match_bit(NFT_CT_STATUS, IPS_CONFIRMED, true, out);
	else if (statement->kind == MATCH_CT_REPLY)
		match_direction(statement->negate, out);
	else
		return false;
	return true;
}

bool match_expand(const struct statement *statement, struct rule_context *context,
		  struct expressions *out, struct err *err)
{
	if (statement->negate && !can_negate(statement->kind)) {
		err_set(err, "this match has no negation");
		return false;
	}
	if (statement->kind == MATCH_USER_IN) { /* meta skuid @confined */
		load_user(out);
		return match_set(statement, out, err);
	}
	if (statement->kind == MATCH_USER)
		return match_user(&statement->users, out, err);
	return expand_plain(statement, out) || match_header(statement, context, out, err);
}
