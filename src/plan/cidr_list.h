/* cidr_list.h: a policy as the list of IPv4 prefixes that platforms without rules of their own take. */
#ifndef EGRESSFW_PLAN_CIDR_LIST_H
#define EGRESSFW_PLAN_CIDR_LIST_H

#include "base/err.h"
#include "plan/resolved.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Such a list opens its addresses to everybody in a sandbox, on every port and over every protocol,
 * and closes all others. What is narrower in the policy than that is a note, as is what the list
 * closes besides; a destination that the list cannot have at all is an error.
 */
enum { CIDR_LIST_MAX = 10 }; /* prefixes that such a platform takes */

struct cidr_list {
	struct prefix items[CIDR_LIST_MAX]; /* ascending; as few as cover exactly the addresses */
	size_t count;
	char **notes; /* sentences for people: every difference from the policy */
	size_t note_count;
};

/*
 * Whether a list can stand for the policy, before any name is resolved. The error names every entry
 * that stands against it: wildcards, IPv6 addresses, lanes on loopback, modes other than an
 * allowlist or lanes. A list without an entry is refused as well: to some platforms it means no
 * limit.
 */
bool cidr_list_can_express(const struct policy *policy, struct err *err);

/* Whether every name has an IPv4 address. The error names each that has none. */
bool cidr_list_has_addresses(const struct resolved *resolved, struct err *err);

/*
 * The list of a policy that both functions above took; free it with cidr_list_free(). False where
 * it needs more than CIDR_LIST_MAX prefixes; the error says how many each entry brings.
 */
bool cidr_list_build(const struct policy *policy, const struct resolved *resolved,
		     struct cidr_list *ret, struct err *err);
void cidr_list_free(struct cidr_list *list);

/* Appends "198.51.100.0/24,203.0.113.5/32". */
void cidr_list_print(const struct cidr_list *list, struct buffer *out);

/* Appends hosts(5) lines for the names, with their IPv4 addresses. */
void cidr_list_print_hosts(const struct resolved *resolved, struct buffer *out);

#endif
