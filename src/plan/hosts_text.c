/* hosts_text.c: our block taken out of a hosts file and put into it, text to text. */
#include "plan/hosts_block.h"

#include "base/memory.h"
#include "plan/hosts_lines.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a line after it was commented out; the caller frees them. */
static struct bytes commented(struct bytes original)
{
	uint8_t *copy = memory_copy(original.data, original.length);

	copy[0] = '#';
	return (struct bytes){ copy, original.length };
}

/*
 * Of the lines that read alike the one with the record's number, else the last one still to be had.
 */
static bool choose(const bool *taken, size_t first, size_t count, uint32_t number,
		   size_t *ret_place)
{
	if (number >= 1 && number <= count && !taken[first + number - 1]) {
		*ret_place = first + number - 1;
		return true;
	}
	for (size_t i = first + count; i-- > first;) {
		if (taken[i])
			continue;
		*ret_place = i;
		return true;
	}
	return false;
}

static bool is_among(const struct hosts_order *order, struct bytes line)
{
	size_t count;

	hosts_order_find(order, line, &count);
	return count > 0;
}

static void append_line(struct buffer *text, struct bytes line)
{
	if (text->length && text->data[text->length - 1] != '\n')
		buffer_append_text(text, "\n");
	buffer_append(text, line.data, line.length);
	buffer_append_text(text, "\n");
}

/*
 * Puts back what the records of `ours` say was commented out. With `stripped` an engine has taken
 * out all comments, the commented lines among them: these lines come back at the end.
 */
static void restore(struct buffer *foreign, const struct hosts_lines *ours, const char *instance,
		    bool stripped)
{
	struct hosts_lines lines = hosts_lines_split(foreign->data, foreign->length, instance);
	struct hosts_order order = hosts_order_new(&lines);
	autofree bool *taken = memory_allocate(order.count, sizeof(*taken));
	autofree uint8_t *first_bytes = memory_allocate(order.count, sizeof(*first_bytes));
	__attribute__((cleanup(buffer_free))) struct buffer lost = { 0 };

	for (size_t i = 0; i < ours->count; i++) {
		struct bytes original, now;
		size_t first, count, place;
		uint32_t number;

		if (ours->items[i].kind != HOSTS_LINE_RECORD ||
		    !hosts_line_record(hosts_lines_bytes(ours, i), instance, &number, &original))
			continue;
		now = commented(original);
		first = hosts_order_find(&order, now, &count);
		free((void *)(uintptr_t)now.data);
		if (choose(taken, first, count, number, &place)) {
			taken[place] = true;
			first_bytes[place] = original.data[0];
		} else if (stripped && !is_among(&order, original)) {
			append_line(&lost, original);
		}
	}
	for (size_t i = 0; i < order.count; i++)
		if (taken[i])
			foreign->data[lines.items[order.indices[i]].start] = first_bytes[i];
	if (lost.length && foreign->length && foreign->data[foreign->length - 1] != '\n')
		buffer_append_text(foreign, "\n");
	buffer_append(foreign, lost.data, lost.length);
	hosts_order_free(&order);
	hosts_lines_free(&lines);
}

/* The text as it would be without us. */
static void strip(const char *text, size_t length, const char *instance, const char *written,
		  struct buffer *ret)
{
	struct hosts_lines lines = hosts_lines_split(text, length, instance), kept = { 0 };
	bool stripped = false, newline = false, foreign_behind = false, ours = false;

	if (written && !hosts_lines_any_ours(&lines)) {
		kept = hosts_lines_split(written, strlen(written), instance);
		stripped = hosts_lines_find_stripped(&lines, &kept);
	}
	for (size_t i = 0; i < lines.count; i++) {
		if (hosts_lines_is_ours(&lines, i)) {
			ours = true;
			newline |= lines.items[i].kind == HOSTS_LINE_NEWLINE;
			continue;
		}
		foreign_behind |= ours;
		buffer_append(ret, lines.text + lines.items[i].start,
			      lines.items[i].length + (lines.items[i].ended ? 1 : 0));
	}
	if (newline && !foreign_behind && ret->length && ret->data[ret->length - 1] == '\n')
		ret->length--;
	if (ours)
		restore(ret, stripped ? &kept : &lines, instance, stripped);
	hosts_lines_free(&kept);
	hosts_lines_free(&lines);
}

static void print_marker(struct buffer *out, const char *instance, const char *word)
{
	hosts_label_print(instance, out);
	buffer_append_text(out, word);
}

/* Turns the first byte of every conflict into '#'. Returns which lines these are, to be freed. */
static bool *comment_out(struct buffer *text, const struct hosts_lines *lines,
			 const struct hosts_names *names, const char *instance)
{
	bool *conflicts = memory_allocate(lines->count, sizeof(*conflicts));

	for (size_t i = 0; i < lines->count; i++) {
		struct bytes now;

		if (!hosts_lines_conflict(lines, i, names))
			continue;
		now = commented(hosts_lines_bytes(lines, i));
		/*
		 * "1 egressfw end" would become a line of ours; no resolver takes "1" for an
		 * address.
		 */
		conflicts[i] = hosts_line_kind(now, instance) == HOSTS_LINE_FOREIGN;
		free((void *)(uintptr_t)now.data);
		if (conflicts[i])
			text->data[lines->items[i].start] = '#';
	}
	return conflicts;
}

/*
 * Appends a record for every conflict; its number is its place among the lines that now read alike.
 */
static void print_records(struct buffer *out, const struct hosts_lines *before,
			  const struct hosts_lines *after, const bool *conflicts,
			  const char *instance)
{
	struct hosts_order order = hosts_order_new(after);
	autofree size_t *numbers = memory_allocate(after->count, sizeof(*numbers));

	for (size_t i = 0; i < order.count; i++) {
		size_t line = order.indices[i];
		bool alike = i && bytes_equal(hosts_lines_bytes(after, order.indices[i - 1]),
					      hosts_lines_bytes(after, line));

		numbers[line] = alike ? numbers[order.indices[i - 1]] + 1 : 1;
	}
	for (size_t i = 0; i < before->count; i++) {
		struct bytes original = hosts_lines_bytes(before, i);

		if (!conflicts[i])
			continue;
		hosts_label_print(instance, out);
		buffer_printf(out, " was %zu ", numbers[i]);
		buffer_append(out, original.data, original.length);
		buffer_append_text(out, "\n");
	}
	hosts_order_free(&order);
}

/* Comments out what conflicts, and appends the block. */
static void add(const struct buffer *foreign, const struct hosts_block *block, const char *instance,
		struct buffer *ret)
{
	struct hosts_lines before = hosts_lines_split(foreign->data, foreign->length, instance),
			   after;
	struct hosts_names names = hosts_names_new(block);
	__attribute__((cleanup(buffer_free))) struct buffer text = { 0 };
	autofree bool *conflicts = NULL;

	buffer_append(&text, foreign->data, foreign->length);
	conflicts = comment_out(&text, &before, &names, instance);
	after = hosts_lines_split(text.data, text.length, instance);
	buffer_append(ret, text.data, text.length);
	if (text.length && text.data[text.length - 1] != '\n') {
		buffer_append_text(ret, "\n");
		print_marker(ret, instance, " begin\n");
		print_marker(ret, instance, " newline\n");
	} else {
		print_marker(ret, instance, " begin\n");
	}
	/*
	 * Records come first, so that rewriting a block whose conflicts are the same leaves their
	 * bytes alone.
	 */
	print_records(ret, &before, &after, conflicts, instance);
	for (size_t i = 0; i < block->count; i++) {
		hosts_entry_print(&block->items[i], instance, ret);
		buffer_append_text(ret, "\n");
	}
	for (size_t i = 0; i < before.count; i++)
		if (conflicts[i])
			hosts_repeat_print(hosts_lines_bytes(&before, i), &names, instance, ret);
	print_marker(ret, instance, " end\n");
	hosts_names_free(&names);
	hosts_lines_free(&after);
	hosts_lines_free(&before);
}

bool hosts_text_update(const char *text, size_t length, const struct hosts_block *block,
		       const char *instance, const char *written, struct buffer *ret,
		       struct err *err)
{
	struct buffer foreign = { 0 };

	if (length > HOSTS_TEXT_MAX) {
		err_set(err, "the hosts file has %zu bytes, at most %d were expected", length,
			HOSTS_TEXT_MAX);
		return false;
	}
	strip(text, length, instance, written, &foreign);
	if (block->count)
		add(&foreign, block, instance, ret);
	else
		buffer_append(ret, foreign.data, foreign.length);
	buffer_free(&foreign);
	return true;
}

void hosts_text_extract(const char *text, size_t length, const char *instance, struct buffer *out)
{
	struct hosts_lines lines = hosts_lines_split(text, length, instance);

	for (size_t i = 0; i < lines.count; i++)
		if (hosts_lines_is_ours(&lines, i)) {
			buffer_append(out, lines.text + lines.items[i].start,
				      lines.items[i].length);
			buffer_append_text(out, "\n");
		}
	hosts_lines_free(&lines);
}
