/* hosts_lines.c: the lines of a hosts file, their order, and which of them conflict. */
#include "plan/hosts_lines.h"

#include "base/cursor.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct hosts_lines hosts_lines_split(const void *text, size_t length, const char *instance)
{
	struct hosts_lines lines = { .text = text };
	struct cursor cursor = cursor_over(text, length);
	struct bytes bytes;
	size_t room = 0;
	bool ended;

	while (cursor_line(&cursor, &bytes.data, &bytes.length, &ended)) {
		if (lines.count == room) {
			room = room ? room * 2 : 64;
			lines.items = memory_resize(lines.items, room, sizeof(*lines.items));
		}
		lines.items[lines.count++] = (struct hosts_line){
			.start = (size_t)(bytes.data - lines.text),
			.length = bytes.length,
			.ended = ended,
			.kind = hosts_line_kind(bytes, instance),
		};
	}
	return lines;
}

void hosts_lines_free(struct hosts_lines *lines)
{
	free(lines->items);
	*lines = (struct hosts_lines){ 0 };
}

struct bytes hosts_lines_bytes(const struct hosts_lines *lines, size_t index)
{
	return (struct bytes){ lines->text + lines->items[index].start,
			       lines->items[index].length };
}

bool hosts_lines_is_ours(const struct hosts_lines *lines, size_t index)
{
	enum hosts_line_kind kind = lines->items[index].kind;

	return kind != HOSTS_LINE_FOREIGN && kind != HOSTS_LINE_OTHER;
}

bool hosts_lines_any_ours(const struct hosts_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		if (hosts_lines_is_ours(lines, i))
			return true;
	return false;
}

static bool same_words(struct bytes one, struct bytes other)
{
	struct bytes word, other_word;
	bool more, other_more;

	do {
		more = hosts_line_word(&one, &word);
		other_more = hosts_line_word(&other, &other_word);
		if (more != other_more || (more && !bytes_equal(word, other_word)))
			return false;
	} while (more);
	return true;
}

bool hosts_lines_find_stripped(struct hosts_lines *lines, const struct hosts_lines *written)
{
	size_t first = 0, entries, matched;

	while (first < written->count && written->items[first].kind != HOSTS_LINE_ENTRY)
		first++;
	for (entries = 0; first + entries < written->count; entries++)
		if (written->items[first + entries].kind != HOSTS_LINE_ENTRY)
			break;
	if (!entries || lines->count < entries)
		return false;
	for (size_t start = lines->count - entries + 1; start--;) {
		for (matched = 0; matched < entries; matched++)
			if (lines->items[start + matched].kind != HOSTS_LINE_FOREIGN ||
			    !same_words(hosts_lines_bytes(lines, start + matched),
					hosts_lines_bytes(written, first + matched)))
				break;
		if (matched < entries)
			continue;
		for (size_t i = 0; i < entries; i++)
			lines->items[start + i].kind = HOSTS_LINE_ENTRY;
		return true;
	}
	return false;
}

static int compare_bytes(struct bytes one, struct bytes other)
{
	size_t common = one.length < other.length ? one.length : other.length;
	int order = common ? memcmp(one.data, other.data, common) : 0;

	return order ? order : (one.length > other.length) - (one.length < other.length);
}

static int compare_lines(const void *one, const void *other, void *context)
{
	size_t first = *(const size_t *)one, second = *(const size_t *)other;
	int order = compare_bytes(hosts_lines_bytes(context, first),
				  hosts_lines_bytes(context, second));

	return order ? order : (first > second) - (first < second);
}

struct hosts_order hosts_order_new(const struct hosts_lines *lines)
{
	struct hosts_order order = { .lines = lines };

	order.indices = memory_allocate(lines->count, sizeof(*order.indices));
	for (size_t i = 0; i < lines->count; i++)
		if (lines->items[i].kind == HOSTS_LINE_FOREIGN)
			order.indices[order.count++] = i;
	qsort_r(order.indices, order.count, sizeof(*order.indices), compare_lines,
		(void *)(uintptr_t)lines);
	return order;
}

void hosts_order_free(struct hosts_order *order)
{
	free(order->indices);
	*order = (struct hosts_order){ 0 };
}

/* The first place whose line comes after the bytes, or with `equal` also one that has them. */
static size_t bound(const struct hosts_order *order, struct bytes bytes, bool equal)
{
	size_t low = 0, high = order->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int place = compare_bytes(hosts_lines_bytes(order->lines, order->indices[middle]),
					  bytes);

		if (place < 0 || (place == 0 && !equal))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t hosts_order_find(const struct hosts_order *order, struct bytes bytes, size_t *ret_count)
{
	size_t first = bound(order, bytes, true);

	*ret_count = bound(order, bytes, false) - first;
	return first;
}

static int compare_names(const void *one, const void *other)
{
	return hosts_name_compare(*(const struct bytes *)one, *(const struct bytes *)other);
}

struct hosts_names hosts_names_new(const struct hosts_block *block)
{
	struct hosts_names names = { memory_allocate(block->count, sizeof(*names.items)),
				     block->count };

	for (size_t i = 0; i < block->count; i++)
		names.items[i] = bytes_of_text(block->items[i].name);
	qsort(names.items, names.count, sizeof(*names.items), compare_names);
	return names;
}

void hosts_names_free(struct hosts_names *names)
{
	free(names->items);
	*names = (struct hosts_names){ 0 };
}

bool hosts_names_contain(const struct hosts_names *names, struct bytes name)
{
	return names->count &&
	       bsearch(&name, names->items, names->count, sizeof(*names->items), compare_names);
}

bool hosts_lines_conflict(const struct hosts_lines *lines, size_t index,
			  const struct hosts_names *names)
{
	struct bytes rest = hosts_lines_bytes(lines, index), word;

	if (lines->items[index].kind != HOSTS_LINE_FOREIGN || !hosts_line_word(&rest, &word) ||
	    !hosts_word_is_addressy(word))
		return false;
	while (hosts_line_word(&rest, &word))
		if (hosts_names_contain(names, word))
			return true;
	return false;
}

void hosts_repeat_print(struct bytes original, const struct hosts_names *names,
			const char *instance, struct buffer *out)
{
	const uint8_t *nul = original.length ? memchr(original.data, '\0', original.length) : NULL;
	struct bytes address, name;

	/* What stands behind a NUL was never seen by a C library. */
	if (nul)
		original.length = (size_t)(nul - original.data);
	if (!hosts_line_word(&original, &address))
		return;
	while (hosts_line_word(&original, &name)) {
		if (hosts_names_contain(names, name))
			continue;
		buffer_append(out, address.data, address.length);
		buffer_append_text(out, " ");
		buffer_append(out, name.data, name.length);
		buffer_append_text(out, " ");
		hosts_label_print(instance, out);
		buffer_append_text(out, "\n");
	}
}
