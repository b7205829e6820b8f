/* request_key.h: for which keys the kernel's helper has rules, by request-key.conf(5). */
#ifndef EGRESSFW_DOCTOR_REQUEST_KEY_H
#define EGRESSFW_DOCTOR_REQUEST_KEY_H

#include "doctor/words.h"

#include <stdbool.h>

/*
 * Pure. The type of key that the next rule is about ("dns_resolver", "user", "*"); false at the end
 * of the text.
 */
bool request_key_next(struct cursor *text, struct word *ret);

#endif
