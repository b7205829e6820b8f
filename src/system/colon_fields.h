/* colon_fields.h: one line of passwd(5), group(5) or subuid(5), split at its colons. */
#ifndef EGRESSFW_SYSTEM_COLON_FIELDS_H
#define EGRESSFW_SYSTEM_COLON_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLON_FIELDS_MAX = 8 }; /* passwd(5) has seven; one more shows that a line has too many */

/* The texts belong to the line and have no NUL at their end. */
struct colon_fields {
	const char *text[COLON_FIELDS_MAX];
	size_t length[COLON_FIELDS_MAX];
	size_t count; /* all that the line has; only COLON_FIELDS_MAX are kept */
};

void colon_split(const uint8_t *line, size_t length, struct colon_fields *ret);

/* A kept field that is decimal digits and nothing else, up to the limit. */
bool colon_number(const struct colon_fields *fields, size_t index, uint64_t limit, uint64_t *ret);

#endif
