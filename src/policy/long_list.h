/* long_list.h: a long list of plain strings, taken out of a policy's text before it is parsed. */
#ifndef EGRESSFW_POLICY_LONG_LIST_H
#define EGRESSFW_POLICY_LONG_LIST_H

#include "base/buffer.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>

/* Fewer entries are not worth it; a list with a longer one is left where it is. */
enum { LONG_LIST_LEAST = 256, LONG_LIST_ENTRY_SIZE = 256 };

/* Entries in the text of a policy, which must live as long. */
struct long_list {
	struct cursor entries; /* what stands between the brackets */
	size_t count;          /* 0: there is no such list */
};

/*
 * Looks for the value of the member `key` of the outermost object. Where it is an array of at least
 * `least` strings without escapes and of printable ASCII alone, *ret is that array, *ret_rest the
 * text with [] in its place, and the answer true: the rest is JSON exactly if the text is
 * (RFC 8259, section 5). *ret_rest is for the caller to free. False: neither is touched.
 */
bool long_list_cut(const char *text, size_t length, const char *key, size_t least,
		   struct long_list *ret, struct buffer *ret_rest);

/* Takes the next entry off the list; false at its end. */
bool long_list_next(struct long_list *list, char ret[LONG_LIST_ENTRY_SIZE]);

#endif
