/* account_index.c: the accounts of passwd by name, since subuid has a line for each of them. */
#include "system/user_files.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const char *one, size_t one_length, const char *other, size_t other_length)
{
	int order = memcmp(one, other, one_length < other_length ? one_length : other_length);

	return order ? order : (one_length > other_length) - (one_length < other_length);
}

/* Of two lines about one name the first comes first. */
static int compare_lines(const void *one, const void *other)
{
	const struct account_line *a = one, *b = other;
	int order = compare_names(a->name, a->length, b->name, b->length);

	return order ? order : (a->name > b->name) - (a->name < b->name);
}

struct account_index account_index_new(const struct buffer *passwd)
{
	struct cursor cursor = cursor_over(passwd->data, passwd->length);
	struct account_index index = { 0 };
	size_t length, room = 0;
	const uint8_t *line;
	bool ended;

	while (cursor_line(&cursor, &line, &length, &ended)) {
		if (index.count == room) {
			room = room ? 2 * room : 64;
			index.items = memory_resize(index.items, room, sizeof(*index.items));
		}
		index.count += account_read(line, length, &index.items[index.count]);
	}
	if (index.count)
		qsort(index.items, index.count, sizeof(*index.items), compare_lines);
	return index;
}

void account_index_free(struct account_index *index)
{
	free(index->items);
	*index = (struct account_index){ 0 };
}

const struct account_line *account_index_find(const struct account_index *index, const char *name,
					      size_t length)
{
	size_t first = 0, behind = index->count;

	while (first < behind) {
		size_t middle = first + (behind - first) / 2;
		const struct account_line *line = &index->items[middle];

		if (compare_names(line->name, line->length, name, length) < 0)
			first = middle + 1;
		else
			behind = middle;
	}
	if (first == index->count ||
	    compare_names(index->items[first].name, index->items[first].length, name, length))
		return NULL;
	return &index->items[first];
}
