/* nft.h: the kernel's tables behind a few verbs: commit, read, remove, count. */
#ifndef EGRESSFW_KERNEL_NFT_H
#define EGRESSFW_KERNEL_NFT_H

#include "base/err.h"
#include "plan/finding.h"
#include "plan/ruleset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Every function needs CAP_NET_ADMIN in effect (the caller raises and lowers it), over the user
 * namespace that owns the network namespace. Nothing here looks at any table but the one that is
 * named, except nft_foreign_output_chains(). Waits are bounded by the link's timeout. The ruleset's
 * comment stands as the comment of its first rule.
 */
struct nft;

/*
 * Opens NETLINK_NETFILTER and asks for the generation. errno ends up in *ret_errno too:
 * EPROTONOSUPPORT and EINVAL mean no nf_tables. The capability must be in effect here too: the
 * kernel asks who opened the socket.
 */
bool nft_open(unsigned timeout_ms, struct nft **ret, int *ret_errno, struct err *err);
void nft_close(struct nft *nft);

/* The generation id of all tables (NFT_MSG_GETGEN); it changes with every commit of anybody. */
bool nft_generation(struct nft *nft, uint32_t *ret, struct err *err);

enum commit_status {
	COMMIT_DONE,
	COMMIT_STALE,   /* the generation was not the one given: read again, try anew */
	COMMIT_REFUSED, /* the kernel refused an object; nothing was changed */
	COMMIT_UNKNOWN, /* no answer in time, or replies were lost: only a read tells */
	COMMIT_PARTIAL, /* a split commit failed in the middle: what is deferred is not open */
};

enum refused_object {
	REFUSED_BATCH,
	REFUSED_TABLE,
	REFUSED_SET,
	REFUSED_ELEMENTS,
	REFUSED_CHAIN,
	REFUSED_RULE
};
struct refusal {
	enum refused_object object;
	char name[RULESET_NAME_SIZE]; /* set or chain */
	size_t rule;                  /* index in the chain */
	bool log_statement;           /* the refused rule is the one with the log statement */
	int errnum;
};

/*
 * Replaces the tables of these rulesets by them in one batch, guarded by `generation`
 * (NFTA_BATCH_GENID; 0: by the one that is found). What stands is read first: base chains stay and
 * get other rules, sets of users get the difference of their elements, all else is deleted and made
 * anew, so that no packet of a user whom both confine passes in between. An acknowledgement is
 * asked for on the last object, every reply is read until it has come, an error for any sequence
 * number fails the whole and is tied to its object. Where the batch is larger than the socket
 * buffer that can be had, it is split into transactions that are closed at every step: first
 * everything without the addresses and the rules that accept by them, then the elements, last those
 * rules. True only for COMMIT_DONE; else *ret_status, *ret_refusal and *err say what happened.
 */
bool nft_commit(struct nft *nft, const struct ruleset *rulesets, size_t count, uint32_t generation,
		enum commit_status *ret_status, struct refusal *ret_refusal, struct err *err);

/* Forces the largest batch in bytes, for tests of the split; 0 takes the limit away. */
void nft_set_batch_limit(struct nft *nft, size_t bytes);

/*
 * Reads a table as it stands. *ret_present false: there is none and *ret is empty. The dump is
 * repeated when it was interrupted (NLM_F_DUMP_INTR, a changed generation), bounded.
 * *ret_generation is the generation that was read.
 */
bool nft_read(struct nft *nft, enum table_family family, const char *table, struct ruleset *ret,
	      bool *ret_present, uint32_t *ret_generation, struct err *err);

/*
 * As ruleset_compare() over nft_read(), but without the kernel's large sets in memory: elements are
 * compared while they stream by, and only a set that differs is read whole, for its findings.
 */
bool nft_verify(struct nft *nft, const struct ruleset *wanted, struct findings *findings,
		struct err *err);

/* Deletes the table; *ret_present tells whether it was there. Idempotent. */
bool nft_remove(struct nft *nft, enum table_family family, const char *table, bool *ret_present,
		struct err *err);

/*
 * The names of all tables that begin with "egressfw" in the family. The caller frees each and the
 * array.
 */
bool nft_list_ours(struct nft *nft, enum table_family family, char ***ret_names, size_t *ret_count,
		   struct err *err);

/*
 * The sum of the packets of all counters in a chain, read in one request. False as well where there
 * is none.
 */
bool nft_count_packets(struct nft *nft, enum table_family family, const char *table,
		       const char *chain, uint64_t *ret_packets, struct err *err);

/*
 * Adds a FINDING_FOREIGN_CHAIN for every base chain on output of another table, with family, table
 * and priority; a FINDING_OTHER_INSTANCE, where the table's name is one that we give.
 */
bool nft_foreign_output_chains(struct nft *nft, const char *table, struct findings *findings,
			       struct err *err);

#endif
