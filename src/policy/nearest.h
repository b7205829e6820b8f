/* nearest.h: the known word that somebody probably meant. */
#ifndef EGRESSFW_POLICY_NEAREST_H
#define EGRESSFW_POLICY_NEAREST_H

#include <stddef.h>

/*
 * The word with the fewest insertions, deletions, replacements and swaps of neighbours away from
 * `text`, or NULL where even that one differs by more than a third of its length.
 */
const char *nearest(const char *text, const char *const *words, size_t count);

#endif
