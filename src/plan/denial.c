/* denial.c: how a denial of the filter looks to its client. */
#include "plan/denial.h"

const char *denial_name(enum denial denial)
{
	static const char *const names[DENIALS] = {
		[DENIAL_PLAIN] = "plain",
		[DENIAL_HIDDEN] = "hidden",
	};

	return names[denial];
}
