/* xt_entry.h: one rule as one entry of a legacy xtables table, and back. */
#ifndef EGRESSFW_KERNEL_XT_ENTRY_H
#define EGRESSFW_KERNEL_XT_ENTRY_H

#include "base/buffer.h"
#include "base/err.h"
#include "plan/ruleset.h"
#include "plan/ruleset_lower.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * An entry is a header (struct ipt_entry or ip6t_entry), matches, and a target. The rules are those
 * of ruleset_lower(). "accept" is the verdict return: it leads back to the hook's own chain, since
 * every chain of ours but the base chains is entered by goto, which leaves no way back behind. On a
 * plain kernel it is entered by a jump, from a base chain that then has nothing more to say.
 */
enum { XT_NAME_SIZE = 30 }; /* of chains, with the NUL: XT_FUNCTION_MAXNAMELEN */

/* How a user's chain begins: an entry with the target ERROR, and its name. */
#define XT_ERROR_NAME "ERROR"

/* 112 or 168 bytes. */
size_t xt_header_size(enum table_family family);

/*
 * Appends the entry of a rule. *ret_jump: the chain of a goto, in the rule; its offset, in the last
 * bytes of the entry (xt_entry_set_verdict()), is 0. NULL: the rule has none.
 */
bool xt_entry_encode(const struct rule *rule, enum table_family family,
		     const struct xt_kernel *kernel, struct buffer *out, const char **ret_jump,
		     struct err *err);

/* Appends what is unconditional: the head of a chain, its end (return), a jump to offset 0. */
void xt_entry_head(enum table_family family, const char *name, struct buffer *out);
void xt_entry_return(enum table_family family, struct buffer *out);
void xt_entry_jump(enum table_family family, struct buffer *out);

/* The verdict of an entry with a standard target; an offset where it is not negative. */
void xt_entry_set_verdict(uint8_t *bytes, size_t length, int32_t verdict);

/*
 * What stands where in the entry with which `left` bytes begin. False: they have not the form of
 * one.
 */
struct xt_entry_view {
	size_t length; /* at most `left` */
	size_t target; /* where the target begins */
	char target_name[XT_NAME_SIZE];
	char chain[XT_NAME_SIZE]; /* of an ERROR target */
	bool standard;
	int32_t verdict;         /* of a standard target */
	uint64_t packets, bytes; /* counted by the kernel */
};
bool xt_entry_view(const uint8_t *bytes, size_t left, enum table_family family,
		   struct xt_entry_view *ret);

/*
 * Whether two entries are the same but for what the kernel keeps in them (counters, marks of its
 * own) and for the offset of a jump.
 */
bool xt_entry_equal(const uint8_t *one, size_t one_length, const uint8_t *other,
		    size_t other_length, enum table_family family);

/*
 * Adds the rule that the entry is. `jump`: the chain to which it jumps, or NULL. An entry that is
 * not byte for byte what xt_entry_encode() makes of the rule is one FOREIGN statement.
 */
void xt_entry_decode(const uint8_t *bytes, size_t length, enum table_family family,
		     const struct xt_kernel *kernel, const char *jump, struct chain *chain);

#endif
