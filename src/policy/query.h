/* query.h: the parameters of a query, in a form in which they can be compared. */
#ifndef EGRESSFW_POLICY_QUERY_H
#define EGRESSFW_POLICY_QUERY_H

#include "base/buffer.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

struct query_parameters {
	struct query_parameter *items;
	size_t count;
};

/*
 * Cuts a query at "&" and ";". Keys and values are decoded (a "+" is a blank) and encoded anew,
 * everything but the unreserved characters of RFC 3986, so that one text has one form.
 */
struct query_parameters query_parse(const char *query);
void query_free(struct query_parameter *items, size_t count);

/*
 * Whether each parameter is among those of the query, without regard to case. One without a
 * value is there with any value.
 */
bool query_has_all(const char *query, const struct query_parameter *items, size_t count);

/* Appends "key=value&key". */
void query_print(const struct query_parameter *items, size_t count, struct buffer *out);

#endif
