/* nearest.c: the known word that somebody probably meant. */
#include "policy/nearest.h"

#include "base/text.h"

#include <string.h>

enum { WORD_MAX = 40 };

static size_t minimum(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* The edit distance, with swaps of neighbours as one edit. Both words are at most WORD_MAX long. */
static size_t distance(const char *one, const char *other)
{
	size_t rows[3][WORD_MAX + 1], length = strlen(other);
	size_t *before = rows[0], *last = rows[1], *now = rows[2];

	for (size_t j = 0; j <= length; j++)
		last[j] = j;
	for (size_t i = 1; one[i - 1]; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= length; j++) {
			char a = text_lower(one[i - 1]), b = text_lower(other[j - 1]);

			now[j] = minimum(minimum(last[j], now[j - 1]) + 1, last[j - 1] + (a != b));
			if (i > 1 && j > 1 && a == text_lower(other[j - 2]) &&
			    text_lower(one[i - 2]) == b)
				now[j] = minimum(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[length];
}

const char *nearest(const char *text, const char *const *words, size_t count)
{
	const char *best = NULL;
	size_t best_distance = 0;

	if (strlen(text) > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t found = distance(text, words[i]);

		if (found * 3 <= strlen(words[i]) && (!best || found < best_distance)) {
			best = words[i];
			best_distance = found;
		}
	}
	return best;
}
