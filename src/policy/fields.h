/* fields.h: the fields of a policy: what each is called and how its value is read. */
#ifndef EGRESSFW_POLICY_FIELDS_H
#define EGRESSFW_POLICY_FIELDS_H

#include "policy/policy.h"

#include <jansson.h>

/*
 * A field has a reader for its whole value, or one for the entries of its array, or both (then
 * arrays go to the second). Readers begin their sentences with the path they are given.
 */
struct field {
	const char *name;
	bool (*read)(const char *path, const json_t *value, struct policy *policy, struct err *err);

	/*
	 * Appends the entry to its list. *ret_text is its one spelling, by which repeated entries
	 * are found; the caller frees it.
	 */
	bool (*read_entry)(const char *path, const json_t *entry, struct policy *policy,
			   char **ret_text, struct err *err);
	const char *entries; /* what the array holds, for messages */
	const char *empty;   /* what to do instead of an empty array; NULL: it is fine */
};

extern const struct field policy_fields[];
extern const size_t policy_field_count;

/* Entries of the lists, for the table. */
bool read_user(const char *path, const json_t *entry, struct policy *policy, char **ret_text, struct err *err);
bool read_exempt_user(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		      struct err *err);
bool read_allowed_host(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		       struct err *err);
bool read_blocked_url(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		      struct err *err);
bool read_model_endpoint(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
			 struct err *err);
bool read_loopback_port(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
			struct err *err);
bool read_published_port(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
			 struct err *err);
bool read_canary(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		 struct err *err);
bool read_private(const char *path, const json_t *entry, struct policy *policy, char **ret_text,
		  struct err *err);

#endif
