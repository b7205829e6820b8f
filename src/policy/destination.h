/* destination.h: one entry of `allowed_hosts` or `model_endpoints`, from text. */
#ifndef EGRESSFW_POLICY_DESTINATION_H
#define EGRESSFW_POLICY_DESTINATION_H

#include "policy/policy.h"

/* A name, wildcard, address or prefix; ":port", ":first-last", ":*" or nothing (80 and 443). */
bool destination_parse(const char *text, struct destination *ret, struct err *err);

/* An http(s) URL to its host and port; its path is left out. */
bool endpoint_parse(const char *text, struct destination *ret, struct err *err);

void destination_free(struct destination *destination);

#endif
