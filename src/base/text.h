/* text.h: short texts from outside: strict numbers, and forms that are safe to print. */
#ifndef EGRESSFW_BASE_TEXT_H
#define EGRESSFW_BASE_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_QUOTE_SIZE = 128 };

/* ASCII only, whatever the locale says. */
bool text_is_digit(char character);
bool text_is_letter(char character);
char text_lower(char character);

/* The value of a hexadecimal digit, or -1. */
int text_hex_value(char character);

/*
 * What is odd at the ends of a word that quotation marks of a shell may have brought along: "is
 * empty", "is blank", "begins with a blank", "ends with a blank"; NULL: nothing.
 */
const char *text_stray_blank(const char *word);

/* Whether there is at least one character and every one is a digit. */
bool text_all_digits(const char *text, size_t length);

/* Decimal digits without leading zeros, 0 to 4294967295, and nothing else. */
bool text_number(const char *text, size_t length, uint32_t *ret);

/*
 * FNV-1a, for tables that compare what they find. Whoever chooses the texts can make them collide:
 * there is a limit to how many a table takes.
 */
uint32_t text_hash(const char *text);

/*
 * Puts a text, or a number, at `at`, which is before `end`: as much as there is room for, and NUL.
 * Returns where NUL is. For what is printed for each request: printf takes ten times as long.
 */
char *text_put(char *at, const char *end, const char *text);
char *text_put_decimal(char *at, const char *end, uint32_t value);

/*
 * The text in quotation marks with JSON's escapes for everything but printable ASCII, so that
 * it can neither steer a terminal nor look like another text. A long one is cut and followed by
 * "..." outside the quotation marks. Returns ret.
 */
const char *text_quote(const char *text, char ret[TEXT_QUOTE_SIZE]);

/* Appends the same, never cut: a JSON string. Bytes that are not UTF-8 become \ufffd. */
void text_print_json(const char *text, struct buffer *out);

#endif
