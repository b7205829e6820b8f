/* resolved.h: the names of a policy with the addresses that the resolver found. */
#ifndef EGRESSFW_PLAN_RESOLVED_H
#define EGRESSFW_PLAN_RESOLVED_H

#include "base/address.h"
#include "base/buffer.h"
#include "base/err.h"
#include "policy/policy.h"

#include <stdbool.h>
#include <stddef.h>

enum resolve_status {
	RESOLVE_FOUND,
	RESOLVE_NXDOMAIN,
	RESOLVE_NO_ADDRESS, /* the name is there and has neither A nor AAAA */
	RESOLVE_SERVFAIL,
	RESOLVE_REFUSED,
	RESOLVE_TIMEOUT,
	RESOLVE_MALFORMED,   /* an answer that is no DNS message, a loop of aliases */
	RESOLVE_SPECIAL,     /* only addresses that are refused, see refused_addresses */
	RESOLVE_NO_SERVER,   /* resolv.conf has no usable nameserver */
	RESOLVE_UNREACHABLE, /* nobody listens at the nameservers, or there is no route to them */
	RESOLVE_STATUSES,
};

struct addresses {
	struct address *items; /* sorted, each once */
	size_t count;
};

struct resolved_name {
	char *name;
	enum resolve_status status;
	struct addresses found;   /* ordinary addresses, or listed in allow_private */
	struct addresses refused; /* special-purpose addresses of the answer that were left out */
};

/* Sorted by name; every exact name of allowed_hosts and of the open lanes, once. */
struct resolved {
	struct resolved_name *items;
	size_t count;
};

void resolved_free(struct resolved *resolved);
const struct resolved_name *resolved_find(const struct resolved *resolved, const char *name);

/* "NXDOMAIN", "timeout", ... for messages. */
const char *resolve_status_name(enum resolve_status status);

/*
 * The names that a policy pins: a fresh, sorted array of strings that the policy owns; none where
 * the filter looks them up. More than its limit: false.
 */
bool policy_names(const struct policy *policy, const char ***ret_names, size_t *ret_count,
		  struct err *err);

/* Whether an address may be pinned for a name: ordinary, or within allow_private. */
bool address_is_pinnable(const struct policy *policy, const struct address *address);

/*
 * The child's answer as bytes and back. resolved_decode() takes the bytes as untrusted: they must
 * be about exactly the names asked for, with valid statuses and sorted unique addresses;
 * special-purpose addresses are sorted out again under the policy.
 */
void resolved_encode(const struct resolved *resolved, struct buffer *out);
bool resolved_decode(const void *bytes, size_t length, const struct policy *policy,
		     struct resolved *ret, struct err *err);

/*
 * False, and one sentence about every name that failed (the first eight by name), unless all were
 * found.
 */
bool resolved_check(const struct resolved *resolved, struct err *err);

#endif
