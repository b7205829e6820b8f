/* nft_table_reader.h: one table as a ruleset, from the messages of a dump. */
#ifndef EGRESSFW_KERNEL_NFT_TABLE_READER_H
#define EGRESSFW_KERNEL_NFT_TABLE_READER_H

#include "kernel/netlink.h"
#include "kernel/nft_elements.h"
#include "kernel/set_stream.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Pure. Messages come in the order table, sets, elements, chains, rules; those of other tables are
 * passed over. Whatever is in the table and no ruleset of ours can hold shows as something that
 * ruleset_compare() tells apart: a set of another kind as SET_FOREIGN, a chain of another
 * kind by a first rule that is FOREIGN.
 */

/* A set while it is read. */
struct read_set {
	char name[RULESET_NAME_SIZE];
	uint32_t id; /* within a batch; the kernel's dump has none */
	bool anonymous;
	const char *strange; /* what it is, where it is none of ours, or an element is not */
	enum set_type type;
	size_t width;
	bool interval;
	struct interval_ends collected; /* without intervals: in starts */
	struct keyset keys;             /* once sealed */
	struct set_stream *stream;      /* compares instead of collecting; NULL: collects */
};

struct table_reader {
	enum table_family family;
	const char *table;
	bool present;
	struct ruleset ruleset; /* all but the sets */
	struct read_set *sets;
	size_t set_count;
	bool sealed;
};

struct table_reader table_reader(enum table_family family, const char *table);
void table_reader_free(struct table_reader *reader);

/* Takes one message; a take_message for nft_ask(). False: it is malformed. */
bool table_reader_take(void *reader, const struct netlink_message *message);

/* The parts of it that are about sets, and the set of this name, or of this id within a batch. */
bool table_reader_take_set(struct table_reader *reader, const struct netlink_message *message);
bool table_reader_take_elements(struct table_reader *reader, const struct netlink_message *message);
struct read_set *table_reader_find_set(struct table_reader *reader, const char *name, uint32_t id);

/*
 * All elements have come: makes the sets' keys, which rules need for their anonymous sets. To be
 * called before rules are taken; does nothing when called again.
 */
void table_reader_seal(struct table_reader *reader);

/*
 * The ruleset, which is then the caller's. A set that was streamed is in it with the keys it was
 * found equal to.
 */
void table_reader_finish(struct table_reader *reader, struct ruleset *ret);

#endif
