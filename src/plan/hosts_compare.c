/* hosts_compare.c: what of our block a hosts file has, and what stands against it. */
#include "plan/hosts_block.h"

#include "base/memory.h"
#include "plan/hosts_lines.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHOWN_MAX = 160 };

/* The words of a line with single blanks between, fit for a terminal; the caller frees it. */
static char *words_of(struct bytes line)
{
	struct buffer text = { 0 };
	struct bytes word;

	while (hosts_line_word(&line, &word) && text.length < LINE_SHOWN_MAX) {
		buffer_append_text(&text, text.length ? " " : "");
		for (size_t i = 0; i < word.length && text.length < LINE_SHOWN_MAX + HOST_TEXT_SIZE;
		     i++)
			buffer_append_u8(&text, word.data[i] > ' ' && word.data[i] < 0x7f
							? word.data[i]
							: '?');
	}
	return buffer_steal(&text);
}

/* Strings that are owned, to be sorted. */
struct strings {
	char **items;
	size_t count;
};

static void strings_add(struct strings *strings, char *string)
{
	if ((strings->count & (strings->count - 1)) == 0)
		strings->items =
			memory_resize(strings->items, strings->count ? strings->count * 2 : 1,
				      sizeof(*strings->items));
	strings->items[strings->count++] = string;
}

static int compare_strings(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static void strings_sort(struct strings *strings)
{
	if (strings->count)
		qsort(strings->items, strings->count, sizeof(*strings->items), compare_strings);
}

static void strings_free(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
}

static void report(struct findings *findings, enum finding_kind kind, const char *line,
		   const char *detail)
{
	findings_add(findings, kind, memory_format("hosts line \"%s\"", line),
		     memory_copy_string(detail));
}

/* Every line of the block, and the other names of what it has commented out. */
static struct strings expected_lines(const struct hosts_lines *lines,
				     const struct hosts_block *block,
				     const struct hosts_names *names, const char *instance)
{
	__attribute__((cleanup(buffer_free))) struct buffer repeated = { 0 };
	struct strings expected = { 0 };
	struct hosts_lines repeats;

	for (size_t i = 0; i < block->count; i++) {
		char text[ADDRESS_TEXT_SIZE];

		strings_add(&expected,
			    memory_format("%s %s", address_format(&block->items[i].address, text),
					  block->items[i].name));
	}
	for (size_t i = 0; block->count && i < lines->count; i++) {
		struct bytes original;
		uint32_t number;

		if (lines->items[i].kind == HOSTS_LINE_RECORD &&
		    hosts_line_record(hosts_lines_bytes(lines, i), instance, &number, &original))
			hosts_repeat_print(original, names, instance, &repeated);
	}
	repeats = hosts_lines_split(repeated.data, repeated.length, instance);
	for (size_t i = 0; i < repeats.count; i++)
		strings_add(&expected, words_of(hosts_lines_bytes(&repeats, i)));
	hosts_lines_free(&repeats);
	strings_sort(&expected);
	return expected;
}

/* Walks both sorted lists at once; a line that stands twice is one too many. */
static void compare_entries(const struct strings *expected, const struct strings *found,
			    struct findings *findings)
{
	size_t wanted = 0, there = 0;

	while (wanted < expected->count || there < found->count) {
		int order = wanted == expected->count ? 1
			    : there == found->count
				    ? -1
				    : strcmp(expected->items[wanted], found->items[there]);

		if (order < 0)
			report(findings, FINDING_HOSTS_LINE_MISSING, expected->items[wanted],
			       "our block should have this line");
		if (order > 0)
			report(findings, FINDING_HOSTS_LINE_EXTRA, found->items[there],
			       "no line of our block");
		wanted += order <= 0;
		there += order >= 0;
	}
}

static bool is_begin(const struct hosts_lines *lines, size_t index)
{
	struct bytes line = hosts_lines_bytes(lines, index);

	return memmem(line.data, line.length, " begin", strlen(" begin")) != NULL;
}

/* Exactly one pair of markers, in order, and nothing foreign between them. */
static void compare_markers(const struct hosts_lines *lines, bool wanted, struct findings *findings)
{
	size_t begins = 0, ends = 0;

	for (size_t i = 0; i < lines->count; i++) {
		struct bytes line = hosts_lines_bytes(lines, i);

		if (lines->items[i].kind == HOSTS_LINE_MARKER) {
			begins += is_begin(lines, i);
			ends += !is_begin(lines, i);
		} else if (lines->items[i].kind == HOSTS_LINE_FOREIGN && begins > ends &&
			   line.length) {
			autofree char *shown = words_of(line);

			report(findings, FINDING_HOSTS_LINE_EXTRA, *shown ? shown : "#",
			       "a line that is not ours stands between our markers");
		}
	}
	if (begins != wanted || ends != wanted)
		findings_add(findings,
			     begins < wanted || ends < wanted ? FINDING_HOSTS_LINE_MISSING
							      : FINDING_HOSTS_LINE_EXTRA,
			     memory_copy_string("hosts marker lines"),
			     memory_format("wanted: %d pair, found: %zu begin and %zu end", wanted,
					   begins, ends));
}

/* Foreign lines for our names, and other instances' lines that give them other addresses. */
static void compare_foreign(const struct hosts_lines *lines, const struct hosts_names *names,
			    const struct strings *expected, struct findings *findings)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct bytes rest = hosts_lines_bytes(lines, i), address, name;
		autofree char *shown = NULL;

		if (hosts_lines_conflict(lines, i, names)) {
			shown = words_of(rest);
			report(findings, FINDING_HOSTS_CONFLICT, shown,
			       "gives a pinned name an address too");
			continue;
		}
		if (lines->items[i].kind != HOSTS_LINE_OTHER || !hosts_line_word(&rest, &address) ||
		    !hosts_line_word(&rest, &name) || !hosts_names_contain(names, name))
			continue;
		shown = words_of(hosts_lines_bytes(lines, i));
		if (!bsearch(&shown, expected->items, expected->count, sizeof(*expected->items),
			     compare_strings))
			report(findings, FINDING_HOSTS_SHARED, shown,
			       "another instance pins this name to an address that is not ours");
	}
}

void hosts_text_compare(const char *text, size_t length, const struct hosts_block *block,
			const char *instance, struct findings *findings)
{
	struct hosts_lines lines = hosts_lines_split(text, length, instance), printed_lines;
	struct hosts_names names = hosts_names_new(block);
	__attribute__((cleanup(buffer_free))) struct buffer printed = { 0 };
	struct strings expected, found = { 0 };
	bool ours = hosts_lines_any_ours(&lines), stripped = false;

	hosts_block_print(block, instance, &printed);
	printed_lines = hosts_lines_split(printed.data, printed.length, instance);
	if (!ours)
		stripped = hosts_lines_find_stripped(&lines, &printed_lines);
	expected = expected_lines(&lines, block, &names, instance);
	for (size_t i = 0; i < lines.count; i++)
		if (lines.items[i].kind == HOSTS_LINE_ENTRY)
			strings_add(&found, words_of(hosts_lines_bytes(&lines, i)));
	strings_sort(&found);
	if (ours)
		compare_markers(&lines, block->count > 0, findings);
	if (ours || stripped)
		compare_entries(&expected, &found, findings);
	else if (block->count)
		findings_add(findings, FINDING_HOSTS_MISSING, memory_copy_string("hosts block"),
			     memory_format("none of its %zu lines is there", block->count));
	compare_foreign(&lines, &names, &expected, findings);
	strings_free(&found);
	strings_free(&expected);
	hosts_names_free(&names);
	hosts_lines_free(&printed_lines);
	hosts_lines_free(&lines);
}

bool hosts_text_parses(const char *text, size_t length)
{
	struct hosts_lines lines = hosts_lines_split(text, length, "");
	bool parses = true;

	for (size_t i = 0; i < lines.count && parses; i++)
		parses = hosts_line_parses(hosts_lines_bytes(&lines, i));
	hosts_lines_free(&lines);
	return parses;
}
