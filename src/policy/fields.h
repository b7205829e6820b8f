/* fields.h: the fields of a policy: what each is called and how its value is read. */
#ifndef EGRESSFW_POLICY_FIELDS_H
#define EGRESSFW_POLICY_FIELDS_H

#include "policy/policy.h"

#include <jansson.h>

/*
 * Appends an entry to its list. *ret_text is the entry's one spelling, by which repeated entries
 * are found; the caller frees it.
 */
typedef bool entry_reader(const char *path, const json_t *entry, struct policy *policy,
			  char **ret_text, struct err *err);

/*
 * A field has a reader for its whole value, or one for the entries of its array, or both (then
 * arrays go to the second). Readers begin their sentences with the path they are given.
 */
struct field {
	const char *name;
	bool (*read)(const char *path, const json_t *value, struct policy *policy, struct err *err);
	entry_reader *read_entry;
	const char *entries; /* what the array holds, for messages */
	const char *empty;   /* what to do instead of an empty array; NULL: it is fine */
};

extern const struct field policy_fields[];
extern const size_t policy_field_count;

/* The readers of the lists. */
entry_reader read_user, read_exempt_user, read_allowed_host, read_blocked_url, read_model_endpoint,
	read_loopback_port, read_published_port, read_canary, read_private;

#endif
