/* hosts_lines.h: the lines of a hosts file, their order, and which of them conflict. */
#ifndef EGRESSFW_PLAN_HOSTS_LINES_H
#define EGRESSFW_PLAN_HOSTS_LINES_H

#include "plan/hosts_block.h"
#include "plan/hosts_line.h"

struct hosts_line {
	size_t start, length; /* within the text; without the "\n" */
	bool ended;           /* it has one */
	enum hosts_line_kind kind;
};

/* A text that somebody else owns, cut into lines. */
struct hosts_lines {
	const uint8_t *text;
	struct hosts_line *items;
	size_t count;
};

struct hosts_lines hosts_lines_split(const void *text, size_t length, const char *instance);
void hosts_lines_free(struct hosts_lines *lines);
struct bytes hosts_lines_bytes(const struct hosts_lines *lines, size_t index);

/* Whether the line is neither foreign nor of another instance; whether any is. */
bool hosts_lines_is_ours(const struct hosts_lines *lines, size_t index);
bool hosts_lines_any_ours(const struct hosts_lines *lines);

/*
 * Finds the entries of `written` as lines without comments that follow one another, the last time
 * where they do so more than once, and makes them HOSTS_LINE_ENTRY. False if they are nowhere.
 */
bool hosts_lines_find_stripped(struct hosts_lines *lines, const struct hosts_lines *written);

/* The foreign lines, ordered by their bytes and, where these are the same, from first to last. */
struct hosts_order {
	const struct hosts_lines *lines;
	size_t *indices;
	size_t count;
};

struct hosts_order hosts_order_new(const struct hosts_lines *lines);
void hosts_order_free(struct hosts_order *order);
/* The first place in the order whose line has these bytes, and how many have them. */
size_t hosts_order_find(const struct hosts_order *order, struct bytes bytes, size_t *ret_count);

/* The names of a block, to be looked up. */
struct hosts_names {
	struct bytes *items;
	size_t count;
};

struct hosts_names hosts_names_new(const struct hosts_block *block);
void hosts_names_free(struct hosts_names *names);
bool hosts_names_contain(const struct hosts_names *names, struct bytes name);

/* Whether a foreign line gives an address to one of the names. */
bool hosts_lines_conflict(const struct hosts_lines *lines, size_t index,
			  const struct hosts_names *names);

/* Appends the other names of a line that was in conflict, each as an entry of ours. */
void hosts_repeat_print(struct bytes original, const struct hosts_names *names,
			const char *instance, struct buffer *out);

#endif
