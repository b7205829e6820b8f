/* nft_guess.c: which statement of ours expressions may be, from the few that tell it. */
#include "kernel/nft_guess.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <string.h>

static void name_from(const struct expression *expression, struct statement *ret)
{
	memcpy(ret->name, expression->name, sizeof(ret->name));
}

static uint32_t number_from(const struct expression *compared)
{
	uint32_t number;

	memcpy(&number, compared->data, sizeof(number));
	return number;
}

/* @SET after the conversion; one uid before it; two after it, which may be all that there are. */
static void guess_user(const struct view *view, struct statement *ret)
{
	const struct expression *looked_up = at(view, 2, EXPRESSION_LOOKUP);
	const struct expression *one = at(view, 1, EXPRESSION_COMPARE);
	const struct expression *first = at(view, 2, EXPRESSION_COMPARE),
				*last = at(view, 3, EXPRESSION_COMPARE);

	ret->kind = MATCH_OWNED;
	if (looked_up) {
		ret->kind = MATCH_USER_IN;
		name_from(looked_up, ret);
	} else if (one) {
		ret->kind = MATCH_USER;
		ret->users = (struct range){ number_from(one), number_from(one) };
	} else if (first && last && ntohl(number_from(last)) <= UID_LAST) {
		ret->kind = MATCH_USER;
		ret->users = (struct range){ ntohl(number_from(first)), ntohl(number_from(last)) };
	}
}

static bool guess_meta(const struct view *view, struct statement *ret)
{
	const struct expression *compared = at(view, 1, EXPRESSION_COMPARE);

	switch (view->items[0].key) {
	case NFT_META_SKUID:
		guess_user(view, ret);
		return true;
	case NFT_META_OIFNAME:
	case NFT_META_IIFNAME:
		ret->kind = view->items[0].key == NFT_META_OIFNAME ? MATCH_OUT_LOOPBACK
								   : MATCH_IN_LOOPBACK;
		ret->negate = compared && compared->key == NFT_CMP_NEQ;
		return true;
	case NFT_META_L4PROTO:
		ret->kind = MATCH_PROTOCOL;
		return guess_bytes(view, 1, ret);
	}
	return false;
}

static bool guess_ct(const struct view *view, struct statement *ret)
{
	const struct expression *bitwise = at(view, 1, EXPRESSION_BITWISE);
	const struct expression *compared = at(view, bitwise ? 2 : 1, EXPRESSION_COMPARE);
	static const uint8_t zeros[EXPRESSION_DATA_MAX];
	static const uint32_t published = PUBLISHED_MARK;

	if (view->items[0].key == NFT_CT_STATUS) {
		ret->kind = MATCH_CT_FIRST;
	} else if (compared) {
		ret->kind = !bitwise ? MATCH_CT_REPLY
			    : memcmp(bitwise->mask, &published, sizeof(published))
				    ? MATCH_CT_MARK
				    : MATCH_CT_PUBLISHED;
		ret->negate = !memcmp(compared->data, zeros, sizeof(zeros));
	} else if (bitwise) {
		ret->kind = !memcmp(bitwise->data, zeros, sizeof(zeros)) ? CLEAR_CT_MARK
			    : memcmp(bitwise->data, &published, sizeof(published))
				    ? SET_CT_MARK
				    : SET_CT_PUBLISHED;
	}
	return compared || bitwise;
}

static void guess_local(const struct view *view, size_t index, struct statement *ret)
{
	const struct expression *compared = at(view, index + 1, EXPRESSION_COMPARE);

	ret->kind = view->items[index].offset == NFTA_FIB_F_DADDR ? MATCH_DESTINATION_LOCAL
								  : MATCH_SOURCE_LOCAL;
	ret->negate = compared && compared->key == NFT_CMP_NEQ;
}

static bool guess_verdict(const struct expression *verdict, struct statement *ret)
{
	name_from(verdict, ret);
	ret->kind = GOTO;
	if (verdict->key == NF_ACCEPT)
		ret->kind = ACCEPT;
	else if (verdict->key == NF_DROP)
		ret->kind = DROP;
	return true;
}

bool guess(const struct view *view, size_t skip, uint8_t protocol, struct statement *ret)
{
	const struct expression *told = &view->items[skip];

	switch (told->kind) {
	case EXPRESSION_PAYLOAD:
		return guess_header(view, skip, protocol, ret);
	case EXPRESSION_META:
		return !skip && guess_meta(view, ret);
	case EXPRESSION_CT_LOAD:
		return !skip && guess_ct(view, ret);
	case EXPRESSION_CT_TUPLE:
		return !skip && guess_ports(view, 1, MATCH_CT_ORIGINAL_PORTS, ret);
	case EXPRESSION_FIB:
		guess_local(view, skip, ret);
		return true;
	case EXPRESSION_COUNTER:
		ret->kind = COUNT;
		ret->counter.packets = told->packets;
		ret->counter.bytes = told->bytes;
		return true;
	case EXPRESSION_LOG:
		ret->kind = LOG;
		return true;
	case EXPRESSION_VERDICT:
		return guess_verdict(told, ret);
	case EXPRESSION_REJECT:
		ret->kind = told->key == NFT_REJECT_TCP_RST ? REJECT_RESET : REJECT_PROHIBITED;
		return true;
	case EXPRESSION_BYTEORDER:
	case EXPRESSION_COMPARE:
	case EXPRESSION_BITWISE:
	case EXPRESSION_LOOKUP:
	case EXPRESSION_CT_STORE:
	case EXPRESSION_FOREIGN:
		break;
	}
	return false;
}
