/* document.h: from bytes to JSON values, and sentences about what is wrong with them. */
#ifndef EGRESSFW_POLICY_DOCUMENT_H
#define EGRESSFW_POLICY_DOCUMENT_H

#include "base/err.h"
#include "policy/long_list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One JSON object and nothing else. The caller gives *ret back with json_decref(). Where the value
 * of its member `list_key` is a long list, *ret_list has the entries, in the text, and *ret an
 * empty array; else ret_list->count is 0.
 */
bool document_read(const char *text, size_t length, const char *list_key, json_t **ret,
		   struct long_list *ret_list, struct err *err);

/*
 * In what follows path may be NULL: whoever knows it puts it in front.
 * Sets "path: expected WHAT, found VALUE" and returns false.
 */
bool document_unexpected(const char *path, const char *expected, const json_t *found,
			 struct err *err);

/* A whole number from first to last, written as one; else "path: expected WHAT, found ...". */
bool document_number(const char *path, const json_t *value, const char *expected, uint32_t first,
		     uint32_t last, uint32_t *ret, struct err *err);

/* One of the words, of which *ret is the index. */
bool document_word(const char *path, const json_t *value, const char *const *words, size_t count,
		   size_t *ret, struct err *err);

/* Sets "path: unknown field" with the nearest of the names, and returns false. */
bool document_unknown_key(const char *path, const char *key, const char *const *names, size_t count,
			  struct err *err);

#endif
