/* percent.h: percent-encoding (RFC 3986, sections 2.1 and 2.3). */
#ifndef EGRESSFW_POLICY_PERCENT_H
#define EGRESSFW_POLICY_PERCENT_H

#include <stdbool.h>
#include <stdint.h>

/* What means the same with and without encoding: letters, digits, "-", ".", "_" and "~". */
bool percent_is_unreserved(uint8_t byte);

/* The byte that "%xx" at `text` stands for, or -1 where it is no escape. */
int percent_byte(const char *text);

#endif
