/* test_nft_statement.c: statements as expressions and back, in every kind of table. */
#include "statement_terms.h"
#include "suite.h"

#include "kernel/netlink.h"
#include "kernel/nft_statement.h"

#include <linux/netfilter/nf_tables.h>
#include <stdlib.h>
#include <string.h>

enum {
	ANY = 1 << TABLE_INET | 1 << TABLE_IP | 1 << TABLE_IP6,
	V4 = 1 << TABLE_INET | 1 << TABLE_IP,
	V6 = 1 << TABLE_INET | 1 << TABLE_IP6
};

/* Rules that can stand in these tables. */
static const struct {
	unsigned tables;
	size_t count;
	struct statement statements[RULE_STATEMENTS_MAX];
} rules[] = {
	{ ANY, 1, { NAMED(MATCH_USER_IN, "confined") } },
	{ ANY, 1, { USERS(0, 0) } },
	{ ANY, 1, { USERS(1500, 1500) } },
	{ ANY, 1, { USERS(100000, 165535) } },
	{ ANY, 1, { USERS(0, 0xfffffffe) } },
	{ ANY, 1, { USERS(0xfffffffe, 0xfffffffe) } },
	{ ANY, 3, { USERS(1500, 1500), NOT(MATCH_OUT_LOOPBACK), PLAIN(DROP) } },
	{ ANY, 1, { PLAIN(MATCH_OWNED) } },
	{ ANY, 1, { PLAIN(MATCH_OUT_LOOPBACK) } },
	{ ANY, 1, { NOT(MATCH_OUT_LOOPBACK) } },
	{ ANY, 1, { PLAIN(MATCH_IN_LOOPBACK) } },
	{ ANY, 1, { NOT(MATCH_IN_LOOPBACK) } },
	{ V4, 1, { PREFIX(FAMILY_IPV4, 1, 128) } },
	{ V4, 1, { PREFIX(FAMILY_IPV4, 8, 127) } },
	{ V4, 1, { PREFIX(FAMILY_IPV4, 23, 198, 51, 100) } },
	{ V4, 1, { PREFIX(FAMILY_IPV4, 32, 203, 0, 113, 5) } },
	{ V6, 1, { PREFIX(FAMILY_IPV6, 10, 0xfe, 0x80) } },
	{ V6, 1, { PREFIX(FAMILY_IPV6, 32, 0x20, 1, 0xd, 0xb8) } },
	{ V6, 1, { PREFIX(FAMILY_IPV6, 127, 0x20, 1, 0xd, 0xb8) } },
	{ V6, 1, { PREFIX(FAMILY_IPV6, 128, [15] = 1) } },
	{ V4, 1, { IN_SET(FAMILY_IPV4, "pin4_1") } },
	{ V6, 1, { IN_SET(FAMILY_IPV6, "pin6_1") } },
	{ ANY, 1, { PLAIN(MATCH_DESTINATION_LOCAL) } },
	{ ANY, 1, { BYTES(MATCH_PROTOCOL, 17) } },
	{ ANY, 1, { BYTES(MATCH_PROTOCOL, 6) } },
	{ ANY, 1, { BYTES(MATCH_PROTOCOL, 6, 17) } },
	{ ANY, 1, { BYTES(MATCH_PROTOCOL, 1, 2, 6, 17, 33, 58, 132, 136) } },
	{ ANY, 1, { PORTS({ 443, 443 }) } },
	{ ANY, 1, { PORTS({ 8000, 8010 }) } },
	{ ANY, 1, { PORTS({ 0, 65535 }) } },
	{ ANY, 1, { PORTS({ 80, 80 }, { 443, 443 }) } },
	{ ANY, 1, { PORTS({ 0, 9 }, { 80, 80 }, { 443, 443 }, { 65535, 65535 }) } },
	{ ANY, 1, { { .kind = MATCH_TCP_FLAGS, .flags = { 0x12, 0x12 } } } },
	{ ANY, 1, { { .kind = MATCH_TCP_FLAGS, .negate = true, .flags = { 0x12, 0x02 } } } },
	{ V4, 1, { BYTES(MATCH_ICMP_TYPE, 0) } },
	{ V4, 1, { BYTES(MATCH_ICMP_TYPE, 0, 3, 11, 12) } },
	{ V6, 1, { BYTES(MATCH_ICMPV6_TYPE, 129) } },
	{ V6, 1, { BYTES(MATCH_ICMPV6_TYPE, 131, 133, 135, 136, 143) } },
	{ V4, 1, { BYTES(MATCH_IP_PROTOCOL, 2) } },
	{ V4, 1, { BYTES(MATCH_IP_PROTOCOL, 2, 6) } },
	{ ANY, 1, { PLAIN(MATCH_CT_MARK) } },
	{ ANY, 1, { NOT(MATCH_CT_MARK) } },
	{ ANY, 1, { PLAIN(MATCH_CT_REPLY) } },
	{ ANY, 1, { NOT(MATCH_CT_REPLY) } },
	{ V4, 1, { SOURCE(FAMILY_IPV4, 8, 127) } },
	{ V4, 1, { SOURCE(FAMILY_IPV4, 27, 198, 51, 100, 32) } },
	{ V6, 1, { SOURCE(FAMILY_IPV6, 128, [15] = 1) } },
	{ V6,
	  4,
	  { PLAIN(MATCH_OUT_LOOPBACK), PREFIX(FAMILY_IPV6, 128, [15] = 1),
	    SOURCE(FAMILY_IPV6, 128, [15] = 1), NAMED(GOTO, "loopback") } },
	{ ANY, 1, { PLAIN(MATCH_SOURCE_LOCAL) } },
	{ ANY, 1, { NOT(MATCH_SOURCE_LOCAL) } },
	{ ANY, 1, { SOURCE_PORTS({ 8080, 8080 }) } },
	{ ANY, 1, { SOURCE_PORTS({ 8080, 8090 }) } },
	{ ANY, 1, { SOURCE_PORTS({ 80, 80 }, { 8080, 8090 }) } },
	{ ANY,
	  3,
	  { SOURCE_PORTS({ 8080, 8080 }),
	    { .kind = MATCH_TCP_FLAGS, .flags = { 0x12, 2 } },
	    PORTS({ 1, 9 }) } },
	{ V6, 1, { { .kind = MATCH_GROUP_REPORT, .records = 1 } } },
	{ V6, 1, { { .kind = MATCH_GROUP_REPORT, .records = GROUP_RECORDS_MAX } } },
	{ V6,
	  2,
	  { PREFIX(FAMILY_IPV6, 104, 0xff, 2, [11] = 1, 0xff), BYTES(MATCH_ICMPV6_TYPE, 131, 132) } },
	{ ANY, 1, { PLAIN(MATCH_CT_PUBLISHED) } },
	{ ANY, 1, { NOT(MATCH_CT_PUBLISHED) } },
	{ ANY, 1, { PLAIN(MATCH_CT_FIRST) } },
	{ ANY, 1, { ORIGINAL_PORTS({ 53, 53 }) } },
	{ ANY, 1, { ORIGINAL_PORTS({ 53, 60 }) } },
	{ ANY, 2, { BYTES(MATCH_PROTOCOL, 6, 17), ORIGINAL_PORTS({ 53, 53 }, { 80, 90 }) } },
	{ ANY, 1, { PLAIN(SET_CT_PUBLISHED) } },
	{ ANY, 1, { PLAIN(SET_CT_MARK) } },
	{ ANY, 1, { PLAIN(CLEAR_CT_MARK) } },
	{ ANY, 1, { PLAIN(COUNT) } },
	{ ANY, 1, { PLAIN(LOG) } },
	{ ANY, 1, { PLAIN(ACCEPT) } },
	{ ANY, 1, { PLAIN(DROP) } },
	{ ANY, 1, { NAMED(GOTO, "refuse") } },
	{ ANY, 3, { BYTES(MATCH_PROTOCOL, 6), PLAIN(COUNT), PLAIN(REJECT_RESET) } },
	{ ANY, 2, { PLAIN(COUNT), PLAIN(REJECT_PROHIBITED) } },
	{ ANY,
	  3,
	  { BYTES(MATCH_PROTOCOL, 6, 17), PORTS({ 53, 53 }, { 853, 853 }, { 5353, 5353 }),
	    NAMED(GOTO, "refuse") } },
	{ ANY, 2, { BYTES(MATCH_PROTOCOL, 17), PORTS({ 53, 53 }) } },
	{ ANY,
	  3,
	  { PORTS({ 443, 443 }),
	    { .kind = MATCH_TCP_FLAGS, .flags = { 2, 2 } },
	    PLAIN(REJECT_RESET) } },
	{ V4,
	  5,
	  { PLAIN(MATCH_OUT_LOOPBACK), IN_SET(FAMILY_IPV4, "pin4_1"), PREFIX(FAMILY_IPV4, 8, 10),
	    PORTS({ 80, 80 }, { 443, 443 }), PLAIN(ACCEPT) } },
	{ V6,
	  5,
	  { IN_SET(FAMILY_IPV6, "net6_1"), PORTS({ 22, 22 }), PLAIN(SET_CT_MARK), PLAIN(COUNT),
	    PLAIN(ACCEPT) } },
	{ V4, 3, { IN_SET(FAMILY_IPV4, "pin4_1"), BYTES(MATCH_ICMP_TYPE, 8), PLAIN(DROP) } },
	{ ANY,
	  5,
	  { PLAIN(MATCH_OWNED),
	    { .kind = MATCH_TCP_FLAGS, .flags = { 0x12, 0x12 } },
	    PLAIN(MATCH_CT_REPLY),
	    NOT(MATCH_CT_MARK),
	    PLAIN(ACCEPT) } },
};

static const struct keyset *find_copy(void *context, const char *name, uint32_t id)
{
	const struct expressions *written = context;

	(void)name;
	return id ? &written->items[id - 1].set.keys : NULL;
}

/* As attributes and back. */
static struct expressions pass_through_attributes(const struct expressions *written)
{
	struct buffer bytes = { 0 };
	struct expressions read;

	for (size_t i = 0; i < written->count; i++) {
		size_t element = netlink_nest_begin(&bytes, NFTA_LIST_ELEM);

		expression_write(&bytes, &written->items[i], (uint32_t)i + 1);
		netlink_nest_end(&bytes, element);
	}
	expressions_read(cursor_over(bytes.data, bytes.length), find_copy,
			 (void *)(uintptr_t)written, &read);
	buffer_free(&bytes);
	return read;
}

START_TEST(a_rule_is_read_as_it_was_written)
{
	const struct rule wanted = { (struct statement *)(uintptr_t)rules[_i].statements,
				     rules[_i].count, 0 };

	for (enum table_family table = TABLE_INET; table <= TABLE_IP6; table++) {
		struct expressions written = { 0 }, read;
		struct rule found;
		struct err err;
		bool stands = rule_expand(table, &wanted, &written, &err);

		ck_assert_msg(stands == !!(rules[_i].tables & 1U << table), "table %d: %s", table,
			      stands ? "stands" : err.text);
		if (stands) {
			read = pass_through_attributes(&written);
			ck_assert_uint_eq(read.count, written.count);
			for (size_t i = 0; i < read.count; i++)
				ck_assert_msg(expression_equal(&read.items[i], &written.items[i]),
					      "expression %zu: %s", i, read.items[i].text);
			rule_decode(table, &read, &found);
			ck_assert_msg(rule_equal(&wanted, &found), "table %d", table);
			for (size_t i = 0; i < found.count; i++)
				rangeset_free(&found.statements[i].ports);
			free(found.statements);
			expressions_free(&read);
		}
		expressions_free(&written);
	}
}
END_TEST

START_TEST(every_kind_of_statement_is_in_the_table)
{
	bool seen[STATEMENT_KINDS] = { [FOREIGN] = true };

	for (size_t i = 0; i < COUNT_OF(rules); i++)
		for (size_t j = 0; j < rules[i].count; j++)
			seen[rules[i].statements[j].kind] = true;
	for (size_t kind = 0; kind < STATEMENT_KINDS; kind++)
		ck_assert_msg(seen[kind], "kind %zu", kind);
}
END_TEST

static const struct {
	size_t count;
	struct statement statements[3];
	const char *text;
} refused[] = {
	{ 1, { NAMED(FOREIGN, "masq") }, "statement 1: it is no statement of ours" },
	{ 1,
	  { { .kind = MATCH_USER_IN, .negate = true, .name = "confined" } },
	  "statement 1: this match has no negation" },
	{ 1,
	  { { .kind = MATCH_OWNED, .negate = true } },
	  "statement 1: this match has no negation" },
	{ 1,
	  { { .kind = MATCH_USER, .negate = true, .users = { 1, 1 } } },
	  "statement 1: this match has no negation" },
	{ 1,
	  { USERS(0, 0xffffffff) },
	  "statement 1: uids 0-4294967295 cannot be matched; expected up to 4294967294, in order" },
	{ 1,
	  { USERS(2, 1) },
	  "statement 1: uids 2-1 cannot be matched; expected up to 4294967294, in order" },
	{ 1,
	  { { .kind = MATCH_DESTINATION_LOCAL, .negate = true } },
	  "statement 1: this match has no negation" },
	{ 1,
	  { { .kind = MATCH_DESTINATION_IN, .name = "" } },
	  "statement 1: a set's name is empty or too long" },
	{ 1,
	  { PREFIX(FAMILY_IPV4, 0, 0) },
	  "statement 1: an address of 0 bits cannot be matched" },
	{ 1,
	  { PREFIX(FAMILY_IPV4, 33, 0) },
	  "statement 1: an address of 33 bits cannot be matched" },
	{ 1,
	  { { .kind = MATCH_GROUP_REPORT, .records = 0 } },
	  "statement 1: a report of 0 groups cannot be matched; expected 1 to 8" },
	{ 1,
	  { { .kind = MATCH_GROUP_REPORT, .records = 9 } },
	  "statement 1: a report of 9 groups cannot be matched; expected 1 to 8" },
	{ 1,
	  { { .kind = MATCH_CT_FIRST, .negate = true } },
	  "statement 1: this match has no negation" },
	{ 2,
	  { BYTES(MATCH_PROTOCOL, 1), SOURCE_PORTS({ 1, 1 }) },
	  "statement 2: protocol 1 has no ports to match" },
	{ 1,
	  { { .kind = MATCH_PROTOCOL } },
	  "statement 1: a match of 0 values cannot be said; expected 1 to 8" },
	{ 1,
	  { { .kind = MATCH_PORTS } },
	  "statement 1: a match of ports has none, or one above 65535" },
	{ 1,
	  { PORTS({ 1, 65536 }) },
	  "statement 1: a match of ports has none, or one above 65535" },
	{ 2,
	  { BYTES(MATCH_PROTOCOL, 1), PORTS({ 1, 1 }) },
	  "statement 2: protocol 1 has no ports to match" },
	{ 2,
	  { BYTES(MATCH_PROTOCOL, 6), BYTES(MATCH_PROTOCOL, 17) },
	  "statement 2: the protocol is matched a second time" },
	{ 2,
	  { BYTES(MATCH_ICMP_TYPE, 1), BYTES(MATCH_ICMPV6_TYPE, 1) },
	  "statement 2: an IPv6 match cannot stand where only IPv4 packets come" },
	{ 2,
	  { BYTES(MATCH_PROTOCOL, 17), { .kind = MATCH_TCP_FLAGS, .flags = { 2, 2 } } },
	  "statement 2: a match of protocol 6 cannot stand behind another protocol" },
	{ 1, { PLAIN(REJECT_RESET) }, "statement 1: a reset cannot answer what need not be TCP" },
	{ 2,
	  { BYTES(MATCH_PROTOCOL, 6, 17), PLAIN(REJECT_RESET) },
	  "statement 2: a reset cannot answer what need not be TCP" },
	{ 1, { NAMED(GOTO, "") }, "statement 1: a chain's name is empty or too long" },
	{ 0, { PLAIN(DROP) }, "a rule of 0 statements; expected 1 to 8" },
};

/* What cannot be said must be refused, not left out. */
START_TEST(what_has_no_expressions_is_refused)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		struct rule rule = { (struct statement *)(uintptr_t)refused[i].statements,
				     refused[i].count, 0 };
		struct expressions written = { 0 };
		struct err err = { "" };

		ck_assert_msg(!rule_expand(TABLE_INET, &rule, &written, &err), "%s",
			      refused[i].text);
		ck_assert_str_eq(err.text, refused[i].text);
		expressions_free(&written);
	}
}
END_TEST

static void set_key(struct expression *expression)
{
	expression->key++;
}

static void set_offset(struct expression *expression)
{
	expression->offset++;
}

static void set_length(struct expression *expression)
{
	expression->length++;
}

static void set_data(struct expression *expression)
{
	expression->data[0] ^= 1;
}

static void set_mask(struct expression *expression)
{
	expression->mask[0] ^= 1;
}

static void set_name(struct expression *expression)
{
	expression->name[0] ^= 1;
}

/* Whatever is changed in any expression, the rule is another one, or none of ours. */
START_TEST(a_changed_expression_is_never_taken_for_the_statement)
{
	void (*const changes[])(struct expression * expression) = {
		set_key, set_offset, set_length, set_data, set_mask, set_name,
	};

	for (size_t i = 0; i < COUNT_OF(rules); i++) {
		const struct rule wanted = { (struct statement *)(uintptr_t)rules[i].statements,
					     rules[i].count, 0 };
		const enum table_family table = TABLE_INET;
		struct expressions written = { 0 };
		struct err err;

		ck_assert(rule_expand(table, &wanted, &written, &err));
		for (size_t j = 0; j < written.count; j++) {
			for (size_t k = 0; k < COUNT_OF(changes); k++) {
				struct expression before = written.items[j];
				struct rule found;

				changes[k](&written.items[j]);
				rule_decode(table, &written, &found);
				ck_assert_msg(!rule_equal(&wanted, &found),
					      "rule %zu expression %zu change %zu", i, j, k);
				for (size_t l = 0; l < found.count; l++)
					rangeset_free(&found.statements[l].ports);
				free(found.statements);
				written.items[j] = before;
			}
		}
		expressions_free(&written);
	}
}
END_TEST

/*
 * Attributes that nft(8) leaves out of our expressions, each of which changes what the expression
 * does.
 */
START_TEST(an_attribute_more_is_never_passed_over)
{
	static const struct {
		struct expression expression;
		uint16_t attribute;
		uint32_t value;
		bool foreign;
	} more[] = {
		{ { .kind = EXPRESSION_LOOKUP, .name = "s" },
		  NFTA_LOOKUP_FLAGS,
		  NFT_LOOKUP_F_INV,
		  true },
		{ { .kind = EXPRESSION_LOOKUP, .name = "s" }, NFTA_LOOKUP_FLAGS, 0, false },
		{ { .kind = EXPRESSION_LOOKUP, .name = "s" },
		  NFTA_LOOKUP_DREG,
		  NFT_REG_VERDICT,
		  true },
		{ { .kind = EXPRESSION_BITWISE, .length = 4 },
		  NFTA_BITWISE_OP,
		  NFT_BITWISE_LSHIFT,
		  true },
		{ { .kind = EXPRESSION_BITWISE, .length = 4 },
		  NFTA_BITWISE_OP,
		  NFT_BITWISE_BOOL,
		  false },
		{ { .kind = EXPRESSION_LOG, .name = "p" }, NFTA_LOG_SNAPLEN, 64, true },
		{ { .kind = EXPRESSION_LOG, .name = "p" }, NFTA_LOG_FLAGS, 1, true },
		{ { .kind = EXPRESSION_CT_LOAD }, NFTA_CT_DIRECTION, 0, true },
		{ { .kind = EXPRESSION_CT_LOAD }, NFTA_CT_SREG, NFT_REG_1, true },
		{ { .kind = EXPRESSION_META }, NFTA_META_SREG, NFT_REG_1, true },
		{ { .kind = EXPRESSION_FIB }, 99, 1, true },
	};

	for (size_t i = 0; i < COUNT_OF(more); i++) {
		struct buffer bytes = { 0 };
		struct expressions none = { 0 }, read;
		size_t element = netlink_nest_begin(&bytes, NFTA_LIST_ELEM), data;

		expression_write(&bytes, &more[i].expression, 0);
		/*
		 * The data are the last attribute: one more at the end of the buffer is one more in
		 * them.
		 */
		for (data = 4; (((uint16_t)bytes.data[data + 2] | bytes.data[data + 3] << 8) &
				0x3fff) != NFTA_EXPR_DATA;)
			data += (bytes.data[data] + 3U) & ~3U;
		netlink_put_u32(&bytes, more[i].attribute, more[i].value);
		netlink_nest_end(&bytes, data);
		memmove(bytes.data + data + 2, (const uint8_t[]){ NFTA_EXPR_DATA, 0x80 }, 2);
		netlink_nest_end(&bytes, element);
		expressions_read(cursor_over(bytes.data, bytes.length), find_copy, &none, &read);
		ck_assert_uint_eq(read.count, 1);
		ck_assert_msg((read.items[0].kind == EXPRESSION_FOREIGN) == more[i].foreign,
			      "%zu: %s", i, read.items[0].text);
		expressions_free(&read);
		buffer_free(&bytes);
	}
}
END_TEST

START_TEST(a_malformed_expression_is_foreign)
{
	static const uint8_t elements[][12] = {
		{ 4, 0, NFTA_LIST_ELEM, 0 }, /* neither name nor data */
		{ 12, 0, NFTA_LIST_ELEM, 0, 8, 0, NFTA_EXPR_NAME, 0, 'c', 't', 0,
		  0 }, /* a name alone */
		{ 12, 0, NFTA_LIST_ELEM, 0, 200, 0, NFTA_EXPR_NAME, 0, 'c', 't', 0, 0 },
	};

	for (size_t i = 0; i < COUNT_OF(elements); i++) {
		struct expressions none = { 0 }, read;

		expressions_read(cursor_over(elements[i], elements[i][0]), find_copy, &none, &read);
		ck_assert_uint_eq(read.count, 1);
		ck_assert_int_eq(read.items[0].kind, EXPRESSION_FOREIGN);
		expressions_free(&read);
	}
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("nft_statement");

	tcase_add_loop_test(cases, a_rule_is_read_as_it_was_written, 0, COUNT_OF(rules));
	tcase_add_test(cases, every_kind_of_statement_is_in_the_table);
	tcase_add_test(cases, what_has_no_expressions_is_refused);
	tcase_add_test(cases, an_attribute_more_is_never_passed_over);
	tcase_add_test(cases, a_malformed_expression_is_foreign);
	tcase_add_test(cases, a_changed_expression_is_never_taken_for_the_statement);
	return suite_end("nft_statement", cases);
}
