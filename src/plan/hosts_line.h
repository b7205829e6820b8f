/* hosts_line.h: one line of a hosts file: its words, and whose line it is. */
#ifndef EGRESSFW_PLAN_HOSTS_LINE_H
#define EGRESSFW_PLAN_HOSTS_LINE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Theory of operation. Every line of ours can be told by itself, without the lines around it, so
 * that no torn, nested, doubled or half-deleted block makes a foreign line look like ours:
 *
 *	# egressfw begin
 *	# egressfw newline                             the foreign text ended without one
 *	# egressfw was 1 10.0.0.9 api.example other    a foreign line that is commented out
 *	203.0.113.5 api.example # egressfw             a pin
 *	10.0.0.9 other # egressfw                      what the foreign line also said
 *	# egressfw end
 *
 * With an instance N the label is "# egressfw-N". The number after "was" tells which one it is of
 * the foreign lines that now read alike, for what is commented out lost its first byte to a '#'.
 * Lines with the label of another instance are left alone.
 */

/* Bytes that somebody else owns. */
struct bytes {
	const uint8_t *data;
	size_t length;
};

struct bytes bytes_of_text(const char *text);
bool bytes_equal(struct bytes one, struct bytes other);

enum hosts_line_kind {
	HOSTS_LINE_FOREIGN,
	HOSTS_LINE_OTHER,   /* of another instance */
	HOSTS_LINE_MARKER,  /* ours: "begin" or "end" */
	HOSTS_LINE_NEWLINE, /* ours: "newline" */
	HOSTS_LINE_RECORD,  /* ours: "was" */
	HOSTS_LINE_ENTRY,   /* ours: address and name, or a torn one that nobody can read */
};

/* Whose line it is; `line` is without its "\n", trailing blanks do not matter. */
enum hosts_line_kind hosts_line_kind(struct bytes line, const char *instance);

/*
 * Takes a record apart; false if it is none of the instance, or one of a line that would itself be
 * ours.
 */
bool hosts_line_record(struct bytes line, const char *instance, uint32_t *ret_number,
		       struct bytes *ret_original);

/* Appends "# egressfw" or "# egressfw-N". */
void hosts_label_print(const char *instance, struct buffer *out);

/*
 * Takes the next word off the front of a line, comment and trailing blanks never included; false if
 * there is none. NUL bytes separate words, as any reader would see either half.
 */
bool hosts_line_word(struct bytes *line, struct bytes *ret);

/*
 * Whether a word reads as an address, also in spellings that only some resolvers take, and with a
 * zone.
 */
bool hosts_word_is_addressy(struct bytes word);

/* Whether every reader takes it: a comment, blank, or an address with at least one name. */
bool hosts_line_parses(struct bytes line);

/* Orders names as resolvers compare them: upper case folded, one trailing dot ignored. */
int hosts_name_compare(struct bytes one, struct bytes other);

#endif
