/* store_value.h: values as bytes for a file or a pipe, and back as untrusted input. */
#ifndef EGRESSFW_PLAN_STORE_VALUE_H
#define EGRESSFW_PLAN_STORE_VALUE_H

#include "base/address.h"
#include "base/buffer.h"
#include "base/cursor.h"
#include "base/rangeset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One byte of length and the text, which must be shorter than 256 bytes. */
void store_text(const char *text, struct buffer *out);
/*
 * Reads what store_text() wrote into `size` bytes; false for a NUL within or a text that does not
 * fit.
 */
bool load_text(struct cursor *cursor, char *ret, size_t size);

/* One byte that must be below `limit`. */
bool load_choice(struct cursor *cursor, uint8_t limit, uint8_t *ret);
bool load_flag(struct cursor *cursor, bool *ret);

/*
 * A count of things that take at least `size` bytes each, of which the cursor must still have
 * enough.
 */
bool load_count(struct cursor *cursor, size_t size, uint32_t *ret);

void store_address(const struct address *address, struct buffer *out);
bool load_address(struct cursor *cursor, struct address *ret);

/*
 * Ranges, sorted, neither overlapping nor touching. What was read stands in *ret even when it is
 * false.
 */
void store_ranges(const struct rangeset *ranges, struct buffer *out);
bool load_ranges(struct cursor *cursor, uint32_t last_possible, struct rangeset *ret);

#endif
