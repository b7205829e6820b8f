/* words.h: the lines of the kernel's and the administrator's texts, word by word. */
#ifndef EGRESSFW_DOCTOR_WORDS_H
#define EGRESSFW_DOCTOR_WORDS_H

#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pure. A part of a text that somebody else owns; not NUL-terminated. */
struct word {
	const char *text;
	size_t length;
};

/* The next line, as a cursor over it; false at the end. */
bool line_next(struct cursor *text, struct cursor *ret);

/* The next word of a line, between blanks and tabs; false where there is none. */
bool word_next(struct cursor *line, struct word *ret);

/* What stands before the next `separator` (which is passed over) or the end; false at the end. */
bool part_next(struct cursor *line, char separator, struct word *ret);

/* All that is left, without blanks on either side. */
struct word word_rest(struct cursor *line);
struct word word_trim(struct word word);

bool word_is(struct word word, const char *text);
bool word_begins(struct word word, const char *text);

/* Digits of the base (10 or 16) and nothing else, at most `limit`. */
bool word_number(struct word word, unsigned base, uint64_t limit, uint64_t *ret);

/* A copy that the caller frees; stops at a NUL. */
char *word_copy(struct word word);

#endif
