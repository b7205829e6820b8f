/* fields.h: the fields of a policy: what each is called and how its value is read. */
#ifndef EGRESSFW_POLICY_FIELDS_H
#define EGRESSFW_POLICY_FIELDS_H

#include "policy/policy.h"
#include "policy/repeated.h"

#include <jansson.h>

/*
 * Appends an entry to its list, which will have `total`. The sentence does not say which entry it
 * is about: the caller knows, and writes it only then.
 */
typedef bool entry_reader(const json_t *entry, size_t total, struct policy *policy,
			  struct err *err);

/*
 * A field has a reader for its whole value, or one for the entries of its array, or both (then
 * arrays go to the second). The first begins its sentences with the path it is given.
 */
struct field {
	const char *name;
	bool (*read)(const char *path, const json_t *value, struct policy *policy, struct err *err);
	entry_reader *read_entry;
	entry_order *order;  /* by which entries are the same; with read_entry */
	const char *entries; /* what the array holds, for messages */
	const char *empty;   /* what to do instead of an empty array; NULL: it is fine */
};

extern const struct field policy_fields[];
extern const size_t policy_field_count;

/* The list that may be very long: its entries may stand outside the tree. */
#define FIELD_LONG "allowed_hosts"
bool read_allowed_host_text(const char *text, size_t total, struct policy *policy, struct err *err);

/* The readers of the lists. */
entry_reader read_user, read_exempt_user, read_allowed_host, read_blocked_url, read_model_endpoint,
	read_loopback_port, read_published_port, read_canary, read_private;

#endif
