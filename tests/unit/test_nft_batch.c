/*
 * test_nft_batch.c: a transaction's messages: numbered, tied to their objects, acknowledged once.
 */
#include "ruleset_fixture.h"
#include "suite.h"

#include "kernel/nft_replace.h"
#include "kernel/nft_link.h"

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <string.h>

static struct batch whole_batch(const struct ruleset *ruleset, const struct standing *standing)
{
	struct batch batch;
	struct err err;

	batch_begin(&batch, 100, 7);
	ck_assert(encode_replacement(&batch, ruleset, standing, NULL, &err));
	batch_end(&batch);
	return batch;
}

START_TEST(only_the_last_object_is_acknowledged)
{
	struct ruleset ruleset = fixture_named("allowlist");
	struct batch batch = whole_batch(&ruleset, &(struct standing){ 0 });
	struct cursor bytes = cursor_over(batch.bytes.data, batch.bytes.length);
	struct netlink_message message;
	size_t index = 0, acknowledged = 0;
	bool malformed;

	while (netlink_next(&bytes, &message, &malformed)) {
		ck_assert_uint_eq(message.sequence, 100 + index++);
		ck_assert_uint_eq(message.type == NFNL_MSG_BATCH_BEGIN, index == 1);
		ck_assert_uint_eq(message.type == NFNL_MSG_BATCH_END, index == batch.count);
		if (message.flags & NLM_F_ACK)
			acknowledged = index;
	}
	ck_assert(!malformed);
	ck_assert_uint_eq(index, batch.count);
	ck_assert_uint_eq(acknowledged, batch.count - 1);
	batch_free(&batch);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(the_batch_names_the_generation)
{
	struct batch batch;
	struct cursor bytes;
	struct netlink_message message;
	uint32_t generation = 0;
	bool malformed;

	batch_begin(&batch, 1, 7);
	bytes = cursor_over(batch.bytes.data, batch.bytes.length);
	ck_assert(netlink_next(&bytes, &message, &malformed));
	ck_assert(attribute_u32(message.payload, NFNL_BATCH_GENID, &generation));
	ck_assert_uint_eq(generation, 7);
	batch_free(&batch);
}
END_TEST

START_TEST(every_message_is_tied_to_its_object)
{
	struct ruleset ruleset = fixture_named("allowlist");
	struct batch batch = whole_batch(&ruleset, &(struct standing){ 0 });
	size_t seen[REFUSED_RULE + 1] = { 0 }, logs = 0;

	for (uint32_t i = 0; i < batch.count; i++) {
		const struct batch_object *object = batch_find(&batch, 100 + i);

		seen[object->object]++;
		logs += object->log;
		if (object->object == REFUSED_RULE) {
			const struct chain *chain = ruleset_find_chain(&ruleset, object->name);

			ck_assert_ptr_nonnull(chain);
			ck_assert_uint_lt(object->rule, chain->count);
			ck_assert(object->log ==
				  (chain->rules[object->rule].statements[0].kind == LOG));
		}
	}
	ck_assert_uint_eq(seen[REFUSED_BATCH], 2);
	ck_assert_uint_eq(seen[REFUSED_TABLE], 1);
	ck_assert_uint_eq(seen[REFUSED_SET], ruleset.set_count);
	ck_assert_uint_eq(seen[REFUSED_CHAIN], ruleset.chain_count);
	ck_assert_uint_eq(logs, 1);
	ck_assert_int_eq(batch_find(&batch, 99)->object, REFUSED_BATCH);
	ck_assert_int_eq(batch_find(&batch, 100 + (uint32_t)batch.count)->object, REFUSED_BATCH);
	batch_free(&batch);
	ruleset_free(&ruleset);
}
END_TEST

static size_t count_messages(const struct batch *batch, uint16_t type)
{
	struct cursor bytes = cursor_over(batch->bytes.data, batch->bytes.length);
	struct netlink_message message;
	size_t count = 0;
	bool malformed;

	while (netlink_next(&bytes, &message, &malformed))
		count += message.type == (NFNL_SUBSYS_NFTABLES << 8 | type);
	return count;
}

/*
 * The table, its base chains and its sets of users stay; everything else in it is deleted by name.
 */
START_TEST(what_stands_is_kept_or_deleted)
{
	struct ruleset ruleset = fixture_named("allowlist");
	struct standing_chain chains[] = {
		{ .name = "output",
		  .base = true,
		  .filter = true,
		  .hook = hook_number(HOOK_OUTPUT),
		  .priority = 100 },
		{ .name = "forward",
		  .base = true,
		  .filter = true,
		  .hook = hook_number(HOOK_FORWARD),
		  .priority = 7 },
		{ .name = "postrouting",
		  .base = true,
		  .filter = false,
		  .hook = hook_number(HOOK_POSTROUTING),
		  .priority = 300 },
		{ .name = "confined" },
		{ .name = "more" },
	};
	struct standing_set sets[] = {
		{ .name = "confined", .users = true, .keys = keyset_new(4, true) },
		{ .name = "closing", .users = true, .keys = keyset_new(4, true) },
		{ .name = "pin4_1" },
	};
	struct standing standing = { true, false, sets, COUNT_OF(sets), chains, COUNT_OF(chains) };
	struct batch batch;

	/* 1500 stays, 1600-1700 goes; 100000-165535 is new. */
	keyset_add_interval(&sets[0].keys, (const uint8_t[]){ 0, 0, 5, 0xdc },
			    (const uint8_t[]){ 0, 0, 5, 0xdc });
	keyset_add_interval(&sets[0].keys, (const uint8_t[]){ 0, 0, 6, 0x40 },
			    (const uint8_t[]){ 0, 0, 6, 0xa4 });
	keyset_seal(&sets[0].keys);
	batch = whole_batch(&ruleset, &standing);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELTABLE), 0);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELRULE), 1);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELCHAIN), 4);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELSET), 2);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELSETELEM), 1);
	batch_free(&batch);
	standing.foreign = true;
	batch = whole_batch(&ruleset, &standing);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELTABLE), 1);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELCHAIN), 0);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELSET), 0);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_DELSETELEM), 0);
	ck_assert_uint_eq(count_messages(&batch, NFT_MSG_NEWSET),
			  count_messages(&batch, NFT_MSG_NEWSETELEM));
	batch_free(&batch);
	keyset_free(&sets[0].keys);
	ruleset_free(&ruleset);
}
END_TEST

START_TEST(an_error_is_read_with_or_without_the_message_it_is_about)
{
	static const char sentence[] = "no such thing";

	for (int capped = 0; capped < 2; capped++) {
		struct buffer bytes = { 0 };
		struct nlmsghdr header = { .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = 5 };
		struct nlmsgerr error = { .error = -ENOENT,
					  .msg = { .nlmsg_len = NLMSG_HDRLEN + 8 } };
		struct netlink_message message;
		struct cursor cursor;
		uint32_t length;
		bool malformed;
		char text[32];
		int errnum;

		header.nlmsg_flags = NLM_F_ACK_TLVS | (capped ? NLM_F_CAPPED : 0);
		buffer_append(&bytes, &header, sizeof(header));
		buffer_append(&bytes, &error, sizeof(error));
		if (!capped)
			buffer_append(&bytes, "\0\0\0\0\0\0\0", 8);
		netlink_put_text(&bytes, NLMSGERR_ATTR_MSG, sentence);
		length = (uint32_t)bytes.length;
		memcpy(bytes.data, &length, sizeof(length));
		cursor = cursor_over(bytes.data, bytes.length);
		ck_assert(netlink_next(&cursor, &message, &malformed));
		ck_assert(netlink_error(&message, &errnum, text, sizeof(text)));
		ck_assert_int_eq(errnum, ENOENT);
		ck_assert_str_eq(text, sentence);
		/* A sentence that does not fit is left out, a message that is cut is none. */
		ck_assert(netlink_error(&message, &errnum, text, 4));
		ck_assert_str_eq(text, "");
		message.payload.length = 8;
		ck_assert(!netlink_error(&message, &errnum, text, sizeof(text)));
		buffer_free(&bytes);
	}
}
END_TEST

START_TEST(a_malformed_datagram_ends_where_it_is_malformed)
{
	struct buffer bytes = { 0 };
	struct netlink_message message;
	struct cursor cursor;
	uint32_t length;
	bool malformed;

	netlink_end(&bytes, netlink_begin(&bytes, 100, 0, 1, 0, 0));
	netlink_end(&bytes, netlink_begin(&bytes, 100, 0, 2, 0, 0));
	for (length = 0; length < 44; length++) {
		memcpy(bytes.data + 20, &length, sizeof(length));
		cursor = cursor_over(bytes.data, bytes.length);
		ck_assert(netlink_next(&cursor, &message, &malformed));
		ck_assert_msg(netlink_next(&cursor, &message, &malformed) == (length == 20), "%u",
			      length);
		ck_assert(malformed == (length != 20));
	}
	buffer_free(&bytes);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		only_the_last_object_is_acknowledged,
		the_batch_names_the_generation,
		every_message_is_tied_to_its_object,
		what_stands_is_kept_or_deleted,
		an_error_is_read_with_or_without_the_message_it_is_about,
		a_malformed_datagram_ends_where_it_is_malformed,
	};

	return suite_run("nft_batch", tests, COUNT_OF(tests));
}
