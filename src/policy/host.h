/* host.h: host names, strictly read and brought into their one form. */
#ifndef EGRESSFW_POLICY_HOST_H
#define EGRESSFW_POLICY_HOST_H

#include "base/err.h"
#include "policy/policy.h"

/*
 * Folds to lower case, takes one trailing dot off, and converts U-labels by IDNA2008 (libidn2,
 * strict, no mapping of other characters). What is left must be letters, digits and hyphens in
 * labels of 1 to 63 octets, not beginning or ending with a hyphen, 253 octets in all (RFC 1123,
 * section 2.1), must not be a spelling of an address (a last label of digits only, or of 0x and
 * hexadecimal digits, is refused) and not "localhost" or below it (RFC 6761, section 6.3). The
 * name goes to `ret`.
 */
bool host_normalise(const char *text, char ret[HOST_TEXT_SIZE], struct err *err);

/* The same for a name that arrives in a request: everything beyond ASCII is refused. */
bool host_normalise_request(const char *text, char ret[HOST_TEXT_SIZE], struct err *err);

/* Whether a name in normal form lies strictly below `parent`, at a label's border. */
bool host_is_below(const char *name, const char *parent);

/*
 * Whether a name in normal form is a public suffix, be it of a registry or of a company that gives
 * names below it to anybody (libpsl's built-in list; without one every name is), or a single label.
 */
bool host_is_public_suffix(const char *name);

#endif
