/* port_note.h: an IPv6 address whose last group may have been meant as a port. */
#ifndef EGRESSFW_POLICY_PORT_NOTE_H
#define EGRESSFW_POLICY_PORT_NOTE_H

#include "policy/policy.h"

enum { PORT_NOTE_SIZE = 256 };

/*
 * A sentence about the first of allowed_hosts that is an IPv6 address without a port, has "::", and
 * ends in a group that is a well-known port when read in decimal: RFC 3986, section 3.2.2, wants
 * brackets for what was probably meant. False: there is none. Pure.
 */
bool policy_port_note(const struct policy *policy, char ret[PORT_NOTE_SIZE]);

#endif
