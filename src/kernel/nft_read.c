/* nft_read.c: a table as it stands, read whole, or only compared. */
#include "kernel/nft_link.h"

#include "base/memory.h"
#include "kernel/nft_batch.h"
#include "kernel/nft_table_reader.h"
#include "plan/ruleset_compare.h"

#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { ATTEMPTS = 20 };

/* What is asked about one table. */
static struct request about(const struct table_reader *reader, uint16_t type, bool dump,
			    uint16_t table_attribute)
{
	return (struct request){
		.type = type,
		.dump = dump,
		.family = table_family_number(reader->family),
		.table_attribute = table_attribute,
		.table = reader->table,
	};
}

static bool ask_elements(struct nft *nft, struct table_reader *reader, struct read_set *set,
			 int *ret_errnum, struct err *err)
{
	struct request request = about(reader, NFT_MSG_GETSETELEM, true, NFTA_SET_ELEM_LIST_TABLE);

	request.name_attribute = NFTA_SET_ELEM_LIST_SET;
	request.name = set->name;
	return nft_ask(nft, &request, table_reader_take, reader, ret_errnum, err);
}

/* The wanted set that this one may equal, and is then worth streaming. */
static const struct set *counterpart(const struct ruleset *wanted, const struct read_set *set)
{
	const struct set *found =
		wanted && !set->anonymous ? ruleset_find_set(wanted, set->name) : NULL;

	return found && found->type == set->type && found->keys.interval == set->interval &&
			       found->keys.width == set->width
		       ? found
		       : NULL;
}

/* Compares while the elements stream by; where they differ, they are read once more to be kept. */
static bool read_elements(struct nft *nft, struct table_reader *reader, struct read_set *set,
			  const struct ruleset *wanted, int *ret_errnum, struct err *err)
{
	const struct set *same = counterpart(wanted, set);
	uint64_t seed[2];

	if (set->strange)
		return true;
	/* Early in a boot there may be no randomness yet, which is not worth waiting for. */
	if (!same || getrandom(seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		return ask_elements(nft, reader, set, ret_errnum, err);
	set->stream = set_stream_new(&same->keys, seed);
	if (!ask_elements(nft, reader, set, ret_errnum, err))
		return false;
	if (!set->strange && set_stream_is_equal(set->stream))
		return true;
	set_stream_free(set->stream);
	set->stream = NULL;
	return set->strange || ask_elements(nft, reader, set, ret_errnum, err);
}

/* One look at everything, which may have changed meanwhile. */
static bool read_once(struct nft *nft, struct table_reader *reader, const struct ruleset *wanted,
		      int *ret_errnum, struct err *err)
{
	const struct request table = about(reader, NFT_MSG_GETTABLE, false, NFTA_TABLE_NAME);
	const struct request sets = about(reader, NFT_MSG_GETSET, true, NFTA_SET_TABLE);
	const struct request chains = about(reader, NFT_MSG_GETCHAIN, true, NFTA_CHAIN_TABLE);
	const struct request rules = about(reader, NFT_MSG_GETRULE, true, NFTA_RULE_TABLE);

	if (!nft_ask(nft, &table, table_reader_take, reader, ret_errnum, err))
		return *ret_errnum == ENOENT;
	if (!nft_ask(nft, &sets, table_reader_take, reader, ret_errnum, err))
		return false;
	for (size_t i = 0; i < reader->set_count; i++)
		if (!read_elements(nft, reader, &reader->sets[i], wanted, ret_errnum, err))
			return false;
	return nft_ask(nft, &chains, table_reader_take, reader, ret_errnum, err) &&
	       nft_ask(nft, &rules, table_reader_take, reader, ret_errnum, err);
}

/*
 * What a change under way makes of a reading: an interrupted dump, an object that is gone, a rule
 * without its chain.
 */
static bool is_disturbance(int errnum)
{
	return errnum == EINTR || errnum == EAGAIN || errnum == ENOENT || errnum == EBADMSG;
}

/* Repeats until nothing changed in between. *ret is then to be finished and freed by the caller. */
static bool read_consistently(struct nft *nft, enum table_family family, const char *table,
			      const struct ruleset *wanted, struct table_reader *ret,
			      uint32_t *ret_generation, struct err *err)
{
	struct err why;

	for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
		const struct timespec pause = { .tv_nsec = 1000000L * attempt };
		struct table_reader reader = table_reader(family, table);
		uint32_t before, after;
		int errnum = 0;
		bool read;

		if (attempt)
			nanosleep(&pause, NULL);
		if (!nft_generation(nft, &before, err)) {
			table_reader_free(&reader);
			return false;
		}
		read = read_once(nft, &reader, wanted, &errnum, &why);
		if (!read && !is_disturbance(errnum)) {
			table_reader_free(&reader);
			*err = why;
			err_wrap(err, "table %s", table);
			return false;
		}
		if (!nft_generation(nft, &after, err)) {
			table_reader_free(&reader);
			return false;
		}
		if (read && before == after) {
			*ret = reader;
			*ret_generation = after;
			return true;
		}
		if (read)
			err_set(&why, "nf_tables changed");
		table_reader_free(&reader);
	}
	err_set(err, "table %s could not be read as one state in %d attempts: %s", table, ATTEMPTS,
		why.text);
	return false;
}

bool nft_read(struct nft *nft, enum table_family family, const char *table, struct ruleset *ret,
	      bool *ret_present, uint32_t *ret_generation, struct err *err)
{
	struct table_reader reader;

	if (!read_consistently(nft, family, table, NULL, &reader, ret_generation, err))
		return false;
	*ret_present = reader.present;
	table_reader_finish(&reader, ret);
	if (!*ret_present)
		ruleset_free(ret);
	table_reader_free(&reader);
	return true;
}

/* Keys that a streamed set borrows from the wanted ruleset are not its own to free. */
static void return_borrowed_keys(struct ruleset *found, const struct ruleset *wanted)
{
	for (size_t i = 0; i < found->set_count; i++) {
		const struct set *lender = ruleset_find_set(wanted, found->sets[i].name);

		if (lender && found->sets[i].keys.first &&
		    found->sets[i].keys.first == lender->keys.first)
			found->sets[i].keys = keyset_new(lender->keys.width, lender->keys.interval);
	}
}

bool nft_verify(struct nft *nft, const struct ruleset *wanted, struct findings *findings,
		struct err *err)
{
	struct table_reader reader;
	struct ruleset found;
	uint32_t generation;

	if (!read_consistently(nft, wanted->family, wanted->table, wanted, &reader, &generation,
			       err))
		return false;
	if (!reader.present) {
		findings_add(findings, FINDING_TABLE_MISSING,
			     memory_format("table %s %s", table_family_name(wanted->family),
					   wanted->table),
			     memory_copy_string("the kernel has no such table"));
		table_reader_free(&reader);
		return true;
	}
	table_reader_finish(&reader, &found);
	ruleset_compare(wanted, &found, findings);
	return_borrowed_keys(&found, wanted);
	ruleset_free(&found);
	table_reader_free(&reader);
	return true;
}
