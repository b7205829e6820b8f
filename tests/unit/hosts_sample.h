/* hosts_sample.h: a block of three pins, as a value and as the text that it is in a hosts file. */
#ifndef EGRESSFW_TESTS_HOSTS_SAMPLE_H
#define EGRESSFW_TESTS_HOSTS_SAMPLE_H

#include "base/memory.h"
#include "plan/hosts_block.h"


#define BEGIN "# egressfw begin\n"
#define END "# egressfw end\n"
#define PINS                                                                                       \
	"203.0.113.5 api.test # egressfw\n2001:db8::5 api.test # egressfw\n203.0.113.9 b.test # "  \
	"egressfw\n"

static struct hosts_entry pins[] = {
	{ { FAMILY_IPV4, { 203, 0, 113, 5 } }, (char *)(uintptr_t) "api.test" },
	{ { FAMILY_IPV6, { 0x20, 0x01, 0x0d, 0xb8, [15] = 5 } }, (char *)(uintptr_t) "api.test" },
	{ { FAMILY_IPV4, { 203, 0, 113, 9 } }, (char *)(uintptr_t) "b.test" },
};
static const struct hosts_block block = { pins, 3 };
static const struct hosts_block nothing = { 0 };

#endif
