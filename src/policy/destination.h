/* destination.h: one entry of `allowed_hosts` or `model_endpoints`, from text. */
#ifndef EGRESSFW_POLICY_DESTINATION_H
#define EGRESSFW_POLICY_DESTINATION_H

#include "policy/policy.h"

/* A name, wildcard, address or prefix; ":port", ":first-last", ":*" or nothing (80 and 443). */
bool destination_parse(const char *text, struct destination *ret, struct err *err);

/* An http(s) URL to its host and port; its path is left out. */
bool endpoint_parse(const char *text, struct destination *ret, struct err *err);

/* Some order, by which entries are the same exactly if their spellings are. */
int destination_compare(const struct destination *one, const struct destination *other);

void destination_free(struct destination *destination);

#endif
