/*
 * fuzz_netlink.c: any bytes as a dump of a table: refused, or a ruleset that reads the same once
 * written again.
 */
#include "kernel/nft_replace.h"
#include "kernel/nft_link.h"
#include "kernel/nft_table_reader.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum pass { EVERYTHING, BUT_RULES, ONLY_RULES };

static bool read_messages(struct table_reader *reader, const void *data, size_t size,
			  enum pass pass)
{
	struct cursor bytes = cursor_over(data, size);
	struct netlink_message message;
	bool malformed;

	while (netlink_next(&bytes, &message, &malformed)) {
		bool rule = (message.type & 0xff) == NFT_MSG_NEWRULE;
		char text[64];
		int errnum;

		if (message.type == NLMSG_ERROR)
			netlink_error(&message, &errnum, text, sizeof(text));
		else if ((pass == EVERYTHING || rule == (pass == ONLY_RULES)) &&
			 !table_reader_take(reader, &message))
			return false;
	}
	return !malformed;
}

/* Of two objects of one name the reader takes the first for both, and the kernel has none such. */
static bool has_twins(const struct ruleset *ruleset)
{
	for (size_t i = 0; i < ruleset->set_count; i++)
		if (ruleset_find_set(ruleset, ruleset->sets[i].name) != &ruleset->sets[i])
			return true;
	for (size_t i = 0; i < ruleset->chain_count; i++)
		if (ruleset_find_chain(ruleset, ruleset->chains[i].name) != &ruleset->chains[i])
			return true;
	return false;
}

static void write_and_read(const struct ruleset *ruleset)
{
	struct table_reader reader = table_reader(ruleset->family, ruleset->table);
	struct batch batch;
	struct ruleset again;
	struct err err;
	char one[65], other[65];

	batch_begin(&batch, 1, 0);
	if (encode_replacement(&batch, ruleset, &(struct standing){ 0 }, NULL, &err)) {
		batch_end(&batch);
		if (!read_messages(&reader, batch.bytes.data, batch.bytes.length, BUT_RULES) ||
		    !read_messages(&reader, batch.bytes.data, batch.bytes.length, ONLY_RULES))
			abort();
		table_reader_finish(&reader, &again);
		ruleset_digest(ruleset, one);
		ruleset_digest(&again, other);
		if (strcmp(one, other) != 0)
			abort();
		ruleset_free(&again);
	}
	table_reader_free(&reader);
	batch_free(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct table_reader reader = table_reader(TABLE_INET, "egressfw");
	struct ruleset ruleset;
	/* The kernel's messages are aligned, and libnftnl relies on it. */
	uint8_t *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	if (read_messages(&reader, copy, size, EVERYTHING) && reader.present) {
		table_reader_finish(&reader, &ruleset);
		if (!has_twins(&ruleset))
			write_and_read(&ruleset);
		ruleset_free(&ruleset);
	}
	table_reader_free(&reader);
	free(copy);
	return 0;
}
